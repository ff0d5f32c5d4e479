package reproduce

import "krdlab/hw/machine"

// Frozen is the hash of the simulated machine that the paper is predicted with. It was fixed before
// the runs whose results docs/reproduction.md has; docs/simulation.md says what was changed before,
// after which row had been seen. Whoever changes a number or a range of the machine changes this
// too, and gives the source there.
const Frozen = "cdb8057dcaada95e49be89d7cd3ef237446d356cdb71f3313453ef1c50ffadd6"

// IsFrozen says whether m is that machine.
func IsFrozen(m *machine.Machine) bool { return m.Hash() == Frozen }
