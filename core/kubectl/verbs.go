package kubectl

var verbs map[string]verb

// The table is filled here because the verbs reach it themselves.
func init() {
	verbs = map[string]verb{
		"apply":    {applyFlags, (*session).apply},
		"create":   {createFlags + generatorFlags, (*session).createVerb},
		"get":      {getFlags, (*session).get},
		"describe": {describeFlags, (*session).describe},
		"events":   {eventsFlags, (*session).events},
		"delete":   {deleteFlags, (*session).delete},
		"logs":     {logsFlags, (*session).logs},
		"label":    {modifyFlags, (*session).label},
		"annotate": {modifyFlags, (*session).annotate},
		"scale":    {scaleFlags, (*session).scale},
		"patch":    {patchFlags, (*session).patch},
		"cordon":   {cordonFlags, (*session).cordon},
		"uncordon": {cordonFlags, (*session).uncordon},
		"taint":    {taintFlags, (*session).taint},
		"run":      {runFlags, (*session).run},
		"expose":   {exposeFlags, (*session).expose},
		"version":  {versionFlags, (*session).version},
		"rollout":  {rolloutFlags, (*session).rollout},
		"set":      {setFlags, (*session).set},
		"wait":     {waitFlags, (*session).wait},
		"replace":  {replaceFlags, (*session).replace},
		"config":   {configFlags, (*session).config},
		"auth":     {authFlags, (*session).auth},

		"api-resources": {apiResourceFlags, (*session).apiResources},
		"api-versions":  {"", (*session).apiVersions},
	}
}
