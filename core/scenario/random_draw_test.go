package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

func newCourse(seed uint64) course {
	r := rand.New(rand.NewPCG(seed, 37))
	c := course{seed: seed}
	nodes := 1 + r.IntN(4)
	for i := range nodes {
		c.files += fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: {zone: z%d}}\nstatus: {capacity: {cpu: \"%d\", memory: 4Gi, pods: \"%d\"}}\n---\n", i, i%2, 1+r.IntN(3), 5+r.IntN(20))
	}
	var names []string
	for i := range 1 + r.IntN(3) {
		text, name := randomWorkload(r, i)
		c.files += text + "---\n"
		names = append(names, name)
	}
	c.files += "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: w0}, ports: [{port: 80}]}\n---\n"
	for range 2 + r.IntN(6) {
		c.steps = append(c.steps, randomStep(r, names, nodes), fmt.Sprintf("wait %dms", 1+r.IntN(40_000)))
	}
	if r.IntN(8) == 0 { // long enough for what a lost node's pods tolerate
		c.steps = append(c.steps, fmt.Sprintf("wait %ds", 300+r.IntN(300)))
	}
	c.heals = append(c.heals, "fault component-start apiserver", "fault component-start scheduler", "fault component-start controller-manager",
		"fault component-start kube-proxy", "fault component-start cni", "fault registry-up")
	for i := range nodes {
		for _, heal := range []string{"network-heal", "node-up", "kubelet-start", "lease-start", "clock 0s", "relief memory", "relief disk", "relief pid", "component-start kube-proxy", "component-start cni"} {
			name, what, _ := strings.Cut(heal, " ")
			if name == "component-start" {
				c.heals = append(c.heals, fmt.Sprintf("fault %s %s n%d", name, what, i))
				continue
			}
			c.heals = append(c.heals, strings.TrimSpace(fmt.Sprintf("fault %s n%d %s", name, i, what)))
		}
		c.heals = append(c.heals, fmt.Sprintf("kubectl uncordon n%d", i), fmt.Sprintf("kubectl taint node n%d key-", i))
	}
	for _, name := range names {
		c.heals = append(c.heals, "kubectl set image "+name+" app=nginx:1.28")
	}
	return c
}

// randomWorkload returns a manifest and the name that kubectl knows it by.
func randomWorkload(r *rand.Rand, i int) (text, name string) {
	kinds := []string{"Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"}
	kind := kinds[r.IntN(len(kinds))]
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	version, spec := "apps/v1", fmt.Sprintf("  selector: {matchLabels: {app: w%d}}\n", i)
	command := pick("", "", "", "", "", "", `, command: ["sh", "-c", "sleep 3; exit 1"]`, `, readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 2}`)
	restart := ""
	switch kind {
	case "Job":
		version, spec = "batch/v1", fmt.Sprintf("  completions: %d\n  parallelism: %d\n  backoffLimit: %d\n", 1+r.IntN(4), 1+r.IntN(3), r.IntN(3))
		command = pick(`, command: ["sh", "-c", "sleep 2"]`, `, command: ["sh", "-c", "exit 1"]`)
		restart = "      restartPolicy: " + pick("Never", "OnFailure") + "\n"
	case "DaemonSet":
	case "Deployment":
		spec += fmt.Sprintf("  replicas: %d\n%s", r.IntN(5), pick("", "  strategy: {type: Recreate}\n", "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"))
	default:
		spec += fmt.Sprintf("  replicas: %d\n", r.IntN(5))
	}
	image := pick("nginx:1.27", "nginx:1.27", "nginx:1.27", "nginx:1.28", "busybox:1.36", "nginx:no-such-tag")
	if kind == "Job" {
		image = "busybox:1.36"
	}
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: w%d}\nspec:\n%s  template:\n    metadata: {labels: {app: w%d}}\n    spec:\n      terminationGracePeriodSeconds: %d\n%s      containers:\n      - {name: app, image: %q, resources: {requests: {cpu: %dm}}%s}\n",
		version, kind, i, spec, i, r.IntN(8), restart, image, 50+r.IntN(r.IntN(600)+1), command), strings.ToLower(kind) + "/w" + strconv.Itoa(i)
}

func randomStep(r *rand.Rand, names []string, nodes int) string {
	what, node := names[r.IntN(len(names))], r.IntN(nodes)
	if r.IntN(5) < 2 {
		return randomFault(r, node)
	}
	steps := []string{
		fmt.Sprintf("kubectl scale %s --replicas=%d", what, r.IntN(6)),
		"kubectl set image " + what + " app=nginx:1.28",
		"kubectl set image " + what + " app=nginx:no-such-tag",
		"kubectl rollout restart " + what,
		"kubectl rollout undo " + what,
		"kubectl delete pods --all --wait=false",
		"kubectl delete " + what + " --wait=false",
		"kubectl delete " + what + " --wait=false --cascade=orphan",
		fmt.Sprintf("kubectl cordon n%d", node),
		fmt.Sprintf("kubectl label node n%d zone=other --overwrite", node),
		fmt.Sprintf("kubectl taint node n%d key=value:NoExecute --overwrite", node),
		fmt.Sprintf("kubectl delete node n%d", node),
	}
	return steps[r.IntN(len(steps))]
}

// randomFault is something that goes wrong with a node or the cluster, or a request
// that meets it; some of it is put right again before the end.
func randomFault(r *rand.Rand, node int) string {
	at := fmt.Sprintf(" n%d", node)
	part := []string{"apiserver", "scheduler", "controller-manager", "kube-proxy", "cni", "kube-proxy" + at, "cni" + at}[r.IntN(7)]
	steps := []string{
		"fault node-down" + at, "fault node-down" + at, "fault node-up" + at,
		"fault network-cut" + at, "fault network-cut" + at, "fault network-heal" + at,
		"fault kubelet-stop" + at, "fault kubelet-stop" + at, "fault kubelet-start" + at,
		"fault pressure" + at + " memory", "fault pressure" + at + " disk", "fault pressure" + at + " pid 10", "fault relief" + at + " memory",
		"fault registry-down", "fault registry-up", "fault lease-stop" + at, "fault clock" + at + " -70s", "fault clock" + at + " 45s",
		"fault component-stop " + part, "fault component-stop " + part, "fault component-start " + part,
		fmt.Sprintf("kill %d", r.IntN(100)), fmt.Sprintf("kill %d", r.IntN(100)),
		"request node/n" + at[2:] + " http://10.96.0.1:443", fmt.Sprintf("ask %d http://web", r.IntN(100)),
	}
	return steps[r.IntN(len(steps))]
}
