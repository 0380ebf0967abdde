package kubectl

var verbs map[string]verb

// The table is filled here because the verbs reach it themselves.
func init() {
	verbs = map[string]verb{
		"apply":    {applyFlags, (*session).apply},
		"create":   {createFlags, (*session).createFiles},
		"get":      {getFlags, (*session).get},
		"describe": {describeFlags, (*session).describe},
		"events":   {eventsFlags, (*session).events},
		"delete":   {deleteFlags, (*session).delete},
		"logs":     {logsFlags, (*session).logs},
	}
}
