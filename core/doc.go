// Package core is the design of Podwalk; the code is in the folders below.
//
// # In one paragraph
//
// The core is a synchronous state machine over a revisioned store of immutable
// objects (package store), driven by one ordered queue of small data items
// (package sim). Nothing below httpapi starts a goroutine, reads a clock, uses
// global randomness or touches the operating system. Input is a list of timed
// commands; output is a list of trace records, each with the id of the record
// that caused it. The same seed and the same commands give the same bytes, in
// the browser, in the Worker and natively. Rewind, branches, share links, the
// stateless Worker and crash recovery are therefore one mechanism: run the
// commands again, or clone.
//
// # Who may import whom
//
// Only downwards. The table stands as data, with the reason of every line, in
// internal/arch, whose test fails on any other import; what follows is the
// overview.
//
//	L0  sim          virtual time, ordered queue, keyed random streams, cause ids
//	L0  api          object types, quantities, selectors, field paths and errors
//	L0  ../schemas   the API's JSON Schemas, embedded
//	L1  trace        records, and their canonical text
//	L1  codec        YAML and JSON with the position of every field; patches
//	L1  validation   field errors in the real server's words
//	L1  workload     simulated programs, shell, image catalogue
//	L1  network      addresses, routes, policies, proxy rules: pure
//	L2  store        revisions, change log, old revisions, clones
//	L2  schema       JSON Schema hints for the editor; only programs import it
//	L3  admission    chain and registry; one rule a package below it
//	L3  runtime      the containerd of every node, behind the CRI verbs
//	L4  apiserver    the only write path
//	L5  actor        the contract of the components, and what they are given
//	L6  scheduler    one rule a package below it
//	L6  kubelet      pod worker, probes, pulls, volumes, node status
//	L6  controllers  one kind a package below it
//	L6  cni          the network plugins' node daemons
//	L6  kubeproxy    the rules of Services on each node
//	L7  cluster      composition root: Do, Run, Seek, Fork
//	L7  kubectl      argv to text, over a Client interface of its own
//	L7  explain      "why?", from records and re-runs
//	L8  scenario     scenario files: parse, run, print
//	L9  httpapi      HTTP; goroutines are allowed here only
//	L10 cmd, ../wasm the programs
//
// Components (L6) never import each other: they meet in the store only, as the
// real ones do. difftest is a module of its own, so that the real libraries it
// compares with cannot reach a program.
//
// # What happens on one apply
//
// The page sends the text to the program (wasm/browser). cluster.Do notes the
// command. codec decodes it with positions. kubectl sends requests; each walks
// apiserver: authenticate, authorise, decode, default, mutate, validate, admit,
// commit, and each stage leaves a record. A commit is one store.Change; the
// cluster maps it to items "actor, look at key" for the actors that watch the
// kind. An actor reads the store as delivered to it, writes through apiserver
// only, and says when it wants to look again. The page draws the records.
//
// # What is banned, and why
//
// internal/arch lists each ban with its reason: clocks, sleeps, goroutines,
// channels, locks, global randomness, files, sockets, text/template. The hints
// of the editor need gojsonschema, which brings net/http and text/template: that
// is why schema is reachable from the second program only.
//
// # Rejected
//
// Coroutines on a virtual clock read nicely but cannot fork or rewind. The real
// libraries in wasm are exact, but 6 to 13 MB, with real clocks and no way back
// in time. A global random source would make branches incomparable. yaml.v3 for
// manifests names other lines than kubectl does when something is wrong; codec
// reads YAML by itself, and says more.
package core
