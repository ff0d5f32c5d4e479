package regress

import (
	"math"

	"krdlab/experiments/run/estimate"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A Coefficient is an estimate with its error. Values without an estimate are NaN.
type Coefficient struct {
	Name                  string
	Estimate, StdError, T float64
	P                     float64 // two-sided, of Student's t with the fit's degrees of freedom
	VIF                   float64 // variance inflation factor; NaN of the intercept
}

// row returns row k of the inverse of the triangle.
func (f *Fit) row(k int) []float64 {
	n, s := f.inverse.N, f.inverse.Stride
	return f.inverse.Data[k*s+k : k*s+n]
}

// Coefficients returns the intercept, where there is one, and the coefficient of each column. With
// hc3 errors are those of J. MacKinnon and H. White, "Some heteroskedasticity-consistent covariance
// matrix estimators with improved finite sample properties" (1985), which hold where residuals
// differ in spread.
func (f *Fit) Coefficients(hc3 bool) []Coefficient {
	own := f.Design.Formula.Intercept && f.Design.Group == nil
	sigma := f.Sigma()
	errors := make([]float64, len(f.Coef))
	vif := make([]float64, len(f.Coef))
	for j := range errors {
		errors[j], vif[j] = math.NaN(), math.NaN()
	}
	intercept := math.NaN()
	// the intercept's share of each direction of q
	mean := make([]float64, len(f.kept))
	for k, j := range f.kept {
		vif[j] = squares(f.row(k), 0)
		errors[j] = sigma * math.Sqrt(vif[j]) / f.scale[j]
		for m, v := range f.row(k) {
			mean[k+m] += f.centre[j] / f.scale[j] * v
		}
	}
	if own {
		intercept = sigma * math.Sqrt(1/float64(len(f.Design.Y))+squares(mean, 0))
	}
	if hc3 {
		weights := f.hc3()
		n, p := f.q.Rows, f.q.Cols
		influence := general(n, p) // of y on each coefficient
		copy(influence.Data, f.q.Data)
		if p > 0 {
			blas64.Trmm(blas.Right, blas.Trans, 1, f.inverse, influence)
		}
		for k, j := range f.kept {
			sum := 0.0
			for i, w := range weights {
				v := influence.Data[i*p+k] * w
				sum += float64(v * v)
			}
			errors[j] = math.Sqrt(sum) / f.scale[j]
		}
		if own {
			sum := 0.0
			for i, w := range weights {
				v := 1 / float64(n)
				for k, m := range mean {
					v -= float64(f.q.Data[i*p+k] * m)
				}
				sum += float64(v * w * v * w)
			}
			intercept = math.Sqrt(sum)
		}
	}
	var list []Coefficient
	add := func(name string, value, err, vif float64) {
		t := value / err
		list = append(list, Coefficient{name, value, err, t, estimate.TwoSided(t, f.DF), vif})
	}
	if own {
		add("(Intercept)", f.Intercept, intercept, math.NaN())
	}
	for j, name := range f.Design.Names {
		add(name, f.Coef[j], errors[j], vif[j])
	}
	return list
}

// hc3 returns what each residual stands for: e / (1 - leverage).
func (f *Fit) hc3() []float64 {
	w := make([]float64, len(f.Residuals))
	for i, e := range f.Residuals {
		w[i] = e / (1 - f.Leverage[i])
	}
	return w
}
