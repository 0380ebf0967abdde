// Package arch holds the design as data and, in its tests, the proof that the
// source follows it: which package may import which, what the deterministic core
// must not use, how long files and functions may be, how large the programs may
// become. Nothing imports it. Start reading at levels.
package arch

// Level is the height of a package: it may import packages below it only.
// Packages of one family (the first folder under core/) share a level and may
// import each other; two families of one level may not.
type Level struct {
	Path string // folder from the root of the module; it stands for its sub-folders too
	N    int
	Why  string
}

// main is the height of the programs.
const main = 10

var levels = []Level{
	{"core/sim", 0, "virtual time, queue, random streams: knows no Kubernetes"},
	{"core/api", 0, "object types: pure data"},
	{"schemas", 0, "the API's JSON Schemas, embedded"},
	{"core/trace", 1, "records of what was decided"},
	{"core/codec", 1, "YAML and JSON with positions"},
	{"core/validation", 1, "field errors in the server's words, pure"},
	{"core/workload", 1, "simulated programs and images"},
	{"core/network", 1, "addresses, routes, policies, pure"},
	{"core/store", 2, "the simulated etcd: knows no rules"},
	{"core/schema", 2, "JSON Schema for editor hints; only programs may want it, for its size"},
	{"core/admission", 3, "one rule a package"},
	{"core/runtime", 3, "containerd of every node, behind the CRI verbs"},
	{"core/apiserver", 4, "the only write path"},
	{"core/cel", 4, "CEL for the rules of admission, behind their interface; only programs may want it, for its size"},
	{"core/actor", 5, "contract of the components"},
	{"core/scheduler", 6, "components meet only through the store"},
	{"core/kubelet", 6, "components meet only through the store"},
	{"core/controllers", 6, "components meet only through the store"},
	{"core/cni", 6, "components meet only through the store"},
	{"core/kubeproxy", 6, "components meet only through the store"},
	{"core/cluster", 7, "composition root"},
	{"core/kubectl", 7, "argv to text over its own Client interface"},
	{"core/explain", 7, "why, from records and re-runs"},
	{"core/scenario", 8, "scenario files: parse, run, print"},
	{"core/httpapi", 9, "the only place for goroutines and HTTP"},
	{"core/cmd", main, "the native program"},
	{"wasm", main, "the browser's and the Worker's programs"},
}

// Edge is an import of To by From.
type Edge struct{ From, To, Why string }

// ceiling limits a package to imports at or below a level, beside its own family.
var ceiling = []Level{
	{"core/kubectl", 2, "it reaches the cluster only through its Client"},
}

// cost is why few link CEL.
const cost = "cel-go would double play.wasm"

// onlyFrom lists packages that few may import, an edge for each that may.
var onlyFrom = []Edge{
	{"wasm", "core/schema", "gojsonschema and what it brings would triple play.wasm"},
	{"core/cmd", "core/cel", cost},
	{"wasm/full", "core/cel", cost},
	{"core/schema", "schemas", "the schemas are read through the adapter"},
}

// modules are the packages of other modules, and the family that may import each.
var modules = []Edge{
	{"wasm/lint", "gopkg.in/yaml.v3", "the reader of YAML 1.2 that hints compare kubectl's YAML 1.1 with; core/codec has the other"},
	{"core/schema", "github.com/xeipuuv/gojsonschema", "editor hints only"},
	{"wasm/worker", "github.com/syumai/workers", "needs functions that only its own loader gives"},
	{"core/cel", "github.com/google/cel-go", "the expressions of admission policies"},
	{"core/workload", "mvdan.cc/sh/v3/syntax", "one parser of shell"},
}

// Ban is something that the core must not use.
type Ban struct{ What, Why string }

// bannedImports holds for everything below httpapi; a trailing /... takes the
// packages below too.
var bannedImports = []Ban{
	{"sync/...", "there is one thread; a lock would hide that there are two"},
	{"math/rand/...", "randomness comes from sim.Random, keyed, or runs could not be compared"},
	{"crypto/rand", "randomness comes from sim.Random, keyed, or runs could not be repeated"},
	{"os/...", "the browser has no operating system, and files would make runs differ"},
	{"syscall/...", "the browser has no operating system; only a program's main speaks to its host"},
	{"net/...", "no network inside the simulation; net/http alone costs 0.7 MB"},
	{"text/template/...", "it keeps every exported method alive: it doubles the program"},
	{"html/template", "it keeps every exported method alive: it doubles the program"},
	{"unsafe", "objects are frozen by convention and checked by hash, not by tricks"},
	{"context", "nothing in the core waits, so nothing can be cancelled"},
}

// pure are packages that share a banned prefix and only compute.
var pure = []Ban{
	{"net/netip", "addresses as values: no sockets"},
	{"net/url", "parses text: no sockets"},
}

// bannedCalls are selectors on the package time.
var bannedCalls = []Ban{
	{"time.Now", "time is virtual: Ctx.Now"},
	{"time.Since", "time is virtual: subtract instants"},
	{"time.Until", "time is virtual: subtract instants"},
	{"time.Sleep", "nothing waits: return the next instant from Reconcile"},
	{"time.After", "nothing waits: return the next instant from Reconcile"},
	{"time.AfterFunc", "nothing waits: return the next instant from Reconcile"},
	{"time.Tick", "nothing waits: return the next instant from Reconcile"},
	{"time.NewTimer", "nothing waits: return the next instant from Reconcile"},
	{"time.NewTicker", "nothing waits: return the next instant from Reconcile"},
}

// bannedDeps must not be reachable from play.wasm through anything.
var bannedDeps = []Ban{
	{"net/http", "+0.7 MB"},
	{"text/template", "keeps every exported method alive"},
	{"github.com/xeipuuv/gojsonschema", "belongs to lint.wasm"},
	{"github.com/google/cel-go/cel", "belongs to full.wasm"},
}

// Budget is the greatest size of a program, brotli -11, in bytes; Gzip is 0
// where there is no limit of that kind.
type Budget struct {
	File         string
	Brotli, Gzip int
	Why          string
}

var budgets = []Budget{
	{"play.wasm", 3_400_000, 0, "first result within 1.5 s, cold; the design's aim is 1.8 MB"},
	{"full.wasm", 5_200_000, 0, "play.wasm and cel-go; loaded in place of play.wasm only where a manifest holds an expression"},
	{"lint.wasm", 3_200_000, 0, "loaded after the first result"},
	{"worker.wasm", 3_900_000, 5_500_000, "the edge's paid plan takes 10 MB gzip, its free one 3 MB, which is the design's aim"},
}

// topLevel are the entries that may stand in the root of the project, beside
// those whose name begins with a dot.
var topLevel = []string{"LICENSE", "README.md", "build.sh", "core", "go.mod", "go.sum",
	"netlify.toml", "schemas", "wasm", "web"}

// Lengths of source, in lines.
const (
	maxFile     = 500
	maxFunction = 80
	maxView     = 200 // files of web/src/views
)
