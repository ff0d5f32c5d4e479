package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/ops"
	"krdlab/runtimes"
)

// Options say how thorough a calibration is. The zero value is thorough.
type Options struct {
	// the share of the CPUs that others may take meanwhile, 0: [machine.MostBeside]
	Beside float64
	Quick  bool // 3 rounds and not 9, of a quarter of the repetitions each
}

// Measure measures on this computer, which t describes, the costs of operations of the runtimes and
// the rates of operations of each kind on a core, and puts it into m with its sources. A number
// that cannot be measured keeps its value, and its source notes that it is not calibrated and why:
// steals between nodes where there is one node, everything between workers where there is one core,
// lock_delay always. The prices in m.Costs are those of the first scheduler of the table that
// queues the parent in a deque, for mailboxes of the first that has some, and for locks of the
// first whose workers share a queue; other families get their own in m.Families, from the first
// scheduler of each.
//
// A family's own price within a tenth of that of all is left out. Numbers have four digits.
//
// Every number is the least that two rounds show ([machine.Rounds]).
//
// progress, nil for none, is called before each measurement with the number of those that are done,
// and of all, which grows with each round beyond those that a quiet computer needs. Errors: that of
// ctx; CPUs that cannot be used; a [*machine.DisturbedError]; those of [machine.Machine.Validate].
// It returns the operations that schedulers have and that it could not measure. After an error m is
// of no use. Cost: 3 to 4 s on two cores, quick 1 s; some MiB.
func Measure(ctx context.Context, t *hw.Topology, m *machine.Machine, o Options,
	progress func(done, total int, next string)) ([]Missing, error) {
	c, err := newCalibration(ctx, t, o, runtimes.Schedulers)
	if err != nil {
		return nil, fmt.Errorf("calibrate the runtimes: %w", err)
	}
	if progress != nil {
		c.progress = progress
	}
	if err := c.run(); err != nil {
		return nil, fmt.Errorf("calibrate the runtimes: %w", err)
	}
	if err := c.apply(m); err != nil {
		return nil, fmt.Errorf("calibrate the runtimes: %w", err)
	}
	return c.missing(), nil
}

// Missing is an operation of a scheduler that was not measured: its family has the machine's common
// price.
type Missing struct {
	Scheduler string `json:"scheduler"`
	Price     string `json:"price"` // by the name that it has in a file
	Why       string `json:"why"`
}

// missing lists the operations that the measured schedulers have and for which there is no price.
func (c *calibration) missing() []Missing {
	list := []Missing{}
	for i := range c.policies {
		p := &c.policies[i]
		for _, k := range costs {
			if _, why := c.price(k, p); why != "" && k.has(p.Rules(), c.plans[p.Name]) {
				list = append(list, Missing{p.Name, k.name, why})
			}
		}
	}
	return list
}

type calibration struct {
	bench
	near, far []int // CPUs of one node and of two, one of each core; nil where there are none
	loose     bool  // threads are not pinned
	samplesOf series
	others    float64              // the share of the CPUs that they may take
	policies  []runtimes.Scheduler // that are measured
	plans     map[string]plan      // by scheduler
	how       [ops.Kinds]string    // the loops that told the rates

	progress    func(done, total int, next string)
	done, total int
}

func newCalibration(ctx context.Context, t *hw.Topology, o Options,
	table []runtimes.Scheduler) (*calibration, error) {
	cpus, err := t.Available(hw.Binding{}, false)
	if err != nil {
		return nil, err
	}
	clock := hw.CalibrateClock()
	c := &calibration{bench: bench{ctx: ctx, clock: clock, tickPS: 1e12 / clock.Hz, cpus: cpus[:1],
		samples: 9, rounds: 4000},
		samplesOf: series{}, others: o.Beside, policies: scheduled(table), plans: map[string]plan{},
		progress: func(int, int, string) {}}
	for _, p := range c.policies {
		how, err := planOf(p.Policy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		c.plans[p.Name] = how
	}
	if o.Quick {
		c.samples, c.rounds = 3, 1000
	}
	for i, a := range cpus {
		for _, b := range cpus[i+1:] {
			same := t.NodeOf(a) == t.NodeOf(b)
			if same && c.near == nil {
				c.near = []int{a, b}
			}
			if !same && c.far == nil {
				c.far = []int{a, b}
			}
		}
	}
	pin, err := canPin(cpus[0])
	if err != nil {
		return nil, err
	}
	if c.loose = !pin; c.loose { // and which cores two threads run on is not known
		c.cpus, c.far = []int{-1}, nil
		if c.near != nil {
			c.near = []int{-1, -1}
		}
	}
	return c, nil
}

// run takes all samples.
func (c *calibration) run() error {
	if err := c.stamps(); err != nil {
		return err
	}
	if err := c.samplesOf.Repeat(c.samples, c.others, c.round); err != nil {
		return err
	}
	c.parts()
	c.progress(c.total, c.total, "done")
	return nil
}

// parts parts the samples of all policies.
func (c *calibration) parts() {
	for _, p := range c.policies {
		part(c.samplesOf, p, c.plans[p.Name])
	}
}

// round takes a sample of everything.
func (c *calibration) round() error {
	each := 3 + len(c.policies)
	c.total = max(c.samples*each, c.done+each)
	if err := c.runtimes(); err != nil {
		return err
	}
	for _, k := range []struct {
		name   string
		sample func(series) error
	}{{"operations", c.operations}, {"kernels", c.kernels}} {
		if err := c.step(k.name); err != nil {
			return err
		}
		if err := k.sample(c.samplesOf); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

// runtimes takes a sample of all policies.
func (c *calibration) runtimes() error {
	if err := c.step(serial); err != nil {
		return err
	}
	if err := c.alone(c.samplesOf, serial, runtimes.Serial{}, plan{combs: true}); err != nil {
		return err
	}
	for _, p := range c.policies {
		if err := c.step(p.Name); err != nil {
			return err
		}
		if err := c.sampleOf(p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// sampleOf takes one sample of all that can be measured of a policy here.
func (c *calibration) sampleOf(p runtimes.Scheduler) error {
	if err := c.alone(c.samplesOf, p.Name, p.Policy, c.plans[p.Name]); err != nil {
		return err
	}
	if near := c.bench; c.near != nil {
		near.cpus = c.near
		if err := near.pair(c.samplesOf, p, c.plans[p.Name]); err != nil {
			return err
		}
		if err := near.handover(c.samplesOf, p); err != nil {
			return err
		}
	}
	if far := c.bench; c.far != nil {
		far.cpus = c.far
		return far.remote(c.samplesOf, p)
	}
	return nil
}

func (c *calibration) step(next string) error {
	c.progress(c.done, c.total, "measuring "+next)
	c.done++
	return c.ctx.Err()
}

// A cost is how a price of a machine file is measured.
type cost struct {
	name string
	of   func(runtimes.Rules) bool // of whose policy the price in [costs] is
	// has records whether policies have the operation at all.
	has    func(runtimes.Rules, plan) bool
	needs  int // 1 worker, 2 of a node, or 3: of two nodes
	source string
}

// The rules of whose policy the prices in [costs] are.
func childFirst(r runtimes.Rules) bool { return r.Spawn == runtimes.SpawnChild && !locked(r) }
func mails(r runtimes.Rules) bool      { return r.Mail }

func steals(r runtimes.Rules) bool { return r.Queue != runtimes.ShareAll }

var costs = []cost{
	{"spawn", childFirst, func(_ runtimes.Rules, p plan) bool {
		return p.task.spawn+p.task.push+p.more > 0
	}, 1, "one worker, what a tree of tasks takes longer than serially"},
	{"pop", childFirst, func(_ runtimes.Rules, p plan) bool { return p.task.pop > 0 }, 1,
		"one worker, what a tree of tasks takes longer than serially"},
	{"steal_local", childFirst, func(r runtimes.Rules, _ plan) bool { return !shared(r) }, 2,
		"two workers, from the attempt to the stolen child"},
	{"steal_remote", childFirst, func(r runtimes.Rules, _ plan) bool { return steals(r) }, 3,
		"two workers, from the attempt to the stolen child"},
	{"steal_failed", childFirst, func(r runtimes.Rules, _ plan) bool {
		return steals(r) && !r.Requests
	}, 2, "two workers, attempts at an empty queue"},
	{"mail", mails, func(r runtimes.Rules, _ plan) bool { return r.Mail || r.Requests }, 2,
		"two workers, from a look into the mailbox to the child that was mailed"},
	{"join", childFirst, func(runtimes.Rules, plan) bool { return true }, 2,
		"two workers, from the end of a child to the next look for work"},
	{"rest", childFirst, func(runtimes.Rules, plan) bool { return true }, 2,
		"two workers, the first rest of a search"},
	{"lock", shared, func(r runtimes.Rules, _ plan) bool { return locked(r) }, 1,
		"one worker, an operation on a queue under its lock"},
	{"lock_handover", shared, func(r runtimes.Rules, _ plan) bool { return locked(r) }, 2,
		"two workers that empty a queue, less the lock itself"},
}

// reference returns the scheduler whose price of k is the one in [costs]: the first that is
// measured and has the rules for it; nil if there is none.
func (c *calibration) reference(k *cost) *runtimes.Scheduler {
	for i := range c.policies {
		if k.of(c.policies[i].Rules()) {
			return &c.policies[i]
		}
	}
	return nil
}

// told returns how the price of k was measured of p.
func (c *calibration) told(k *cost, p *runtimes.Scheduler) string {
	how := c.plans[p.Name]
	o := how.task
	switch parted := k.name == "spawn" || k.name == "pop" || k.name == "lock" ||
		k.name == "join" && o.join > 0; {
	case parted && !how.combs:
		return fmt.Sprintf("one worker, what a tree of tasks takes longer than serially, in equal "+
			"parts for %.3g operations a task", o.sum())
	case k.name == "spawn" && o.lock > 0:
		return "one worker, each child more under one lock"
	case k.name == "join" && o.lock > 0:
		return fmt.Sprintf("one worker, what a tree of tasks takes longer than serially, less "+
			"%.3g locks", o.lock)
	case parted && o.lock == 0:
		return "one worker, what a tree of tasks takes longer than serially; parted by combs"
	case k.name == "steal_local" && p.Rules().Requests, k.name == "steal_remote" &&
		p.Rules().Requests:
		return "two workers, from the request to the child that the other gave at its next spawn"
	}
	return k.source
}

// source returns how path was measured.
func (c *calibration) source(path, how string) string {
	s := "measured " + time.Now().UTC().Format(time.DateOnly) + ": " + how
	if x := c.samplesOf[path]; len(x) > 1 {
		s += fmt.Sprintf("; %.4g ns is the least that two of %d rounds show, which took %.4g to "+
			"%.4g ns", c.samplesOf.Least(path)/1e3, len(x), slices.Min(x)/1e3, slices.Max(x)/1e3)
	}
	_, name, _ := strings.Cut(strings.TrimPrefix(path, "families."), ".")
	if x := c.samplesOf[path]; len(x) > 0 && c.samplesOf.Least(path) < float64(machine.Least(name)) {
		s += "; raised to the least price that a machine may have"
	}
	if c.loose {
		s += ", threads not pinned"
	}
	return s
}

// apply puts what was measured into m.
func (c *calibration) apply(m *machine.Machine) error {
	var err error
	set := func(path string, v uint64, how string) {
		err = cmp.Or(err, m.SetMeasured(path, v, c.source("", how)))
	}
	for k := range ops.Kinds {
		set(rateOf(k), perSecond(c.samplesOf.Least(rateOf(k))), c.how[k]+", data in L1")
	}
	delete(m.Sources, "rates") // each has its own
	delete(m.Sources, "costs")
	digits := func(ps float64) uint64 { return machine.Digits(uint64(math.Round(ps))) }
	set(stamps, digits(c.samplesOf.Least(stamps)), "one worker, serially: empty kernels, stamped")
	set("costs.frame", digits(c.samplesOf.Least(serial+wayTree)), "one worker, serially: a tree of "+
		"tasks of two children")
	for _, k := range costs {
		of := c.reference(&k)
		ps, why := c.price(k, of)
		if why != "" {
			m.Sources["costs."+k.name] = machine.NotCalibrated + ": " + why + "; a guess"
			continue
		}
		err = cmp.Or(err, m.SetMeasured("costs."+k.name, ps, c.source(familyPath(*of)+k.name,
			of.Name+", "+c.told(&k, of))))
	}
	m.Sources["costs.lock_delay"] = machine.NotCalibrated + ": no measurement gives it"
	if c.far == nil && m.Costs.StealRemotePS < m.Costs.StealLocalPS {
		m.Costs.StealRemotePS = m.Costs.StealLocalPS // a guess may not contradict what was measured
	}
	return cmp.Or(err, c.applyFamilies(m), m.Validate())
}

// applyFamilies puts in what families have of their own.
func (c *calibration) applyFamilies(m *machine.Machine) error {
	for _, p := range c.policies {
		for _, k := range costs {
			of := c.reference(&k)
			if of != nil && p.Name == of.Name {
				continue
			}
			ps, why := c.price(k, &p)
			if why != "" {
				continue // as for all; missing has the reason
			}
			if all, why := c.price(k, of); why == "" && max(ps, all)-min(ps, all) <= all/10 {
				continue // as for all: samples scatter as much
			}
			path := familyPath(p) + k.name
			if err := m.SetMeasured(path, ps, c.source(path, c.told(&k, &p))); err != nil {
				return err
			}
		}
	}
	return nil
}

// price returns the price of an operation of a scheduler in whole picoseconds, at least
// [machine.Least], or why there is none.
func (c *calibration) price(k cost, p *runtimes.Scheduler) (ps uint64, why string) {
	if p == nil {
		return 0, "no scheduler has this operation"
	}
	const noise = "what was measured was no more than noise, or too seldom"
	samples := c.samplesOf[familyPath(*p)+k.name]
	rules := p.Rules()
	if len(samples) == 0 {
		switch parted := c.plans[p.Name].task.join > 0; {
		case k.name == "lock_handover" && !shared(rules):
			return 0, "its workers have a queue each"
		case k.name == "join" && parted:
		case k.name == "mail" && rules.Requests:
			return 0, "a look for an answer is not timed"
		case k.needs == 2 && c.near == nil:
			return 0, "no two cores of a node can be used"
		case k.name == "lock_handover":
		case k.needs >= 2 && together(rules):
			return 0, "where there is one socket all its workers have one queue"
		case k.needs == 3 && c.loose:
			return 0, "threads cannot be pinned"
		case k.needs == 3 && c.far == nil:
			return 0, "no cores of two nodes can be used"
		}
		return 0, noise
	}
	v := slices.Min(samples)
	if v < 0.5 {
		return 0, noise
	}
	return max(machine.Digits(uint64(math.Round(v))), machine.Least(k.name)), ""
}
