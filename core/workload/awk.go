package workload

func cmdAwk(c *call) (int, bool) { return c.lacks("awk") }
