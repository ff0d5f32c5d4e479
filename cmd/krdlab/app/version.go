package app

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// versionCommand returns the command `krdlab version`.
func (a *app) versionCommand() *cobra.Command {
	return withJSON(&cobra.Command{
		Use:   "version",
		Short: "Version of this program and of the formats that it writes",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			v := struct {
				Version string `json:"version"`
				result.Build
				Schema int `json:"schema_version"`
				Trace  int `json:"trace_version"`
			}{version(), result.ReadBuild(), result.SchemaVersion, loi.Version}
			return a.answer(c, v, func(p *doc.Page) error {
				revision := "revision unknown: the build was not stamped"
				if v.Revision != nil {
					revision = "revision " + *v.Revision
					if v.Modified != nil && *v.Modified {
						revision += " and changes that are not committed"
					}
				}
				p.Line("krdlab %s, %s\n%s %s/%s\nresults and manifests version %d, traces version %d",
					v.Version, revision, v.GoVersion, v.OS, v.Arch, v.Schema, v.Trace)
				return p.Close()
			})
		},
	})
}

// version returns the version of the module, "(devel)" where the build does not know.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
