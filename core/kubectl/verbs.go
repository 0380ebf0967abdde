package kubectl

var verbs map[string]verb

// aliases are other words for sub-commands.
var aliases = map[string]string{"set sa": "serviceaccount", "set subjects": "subject", "top no": "node", "top nodes": "node", "top po": "pod", "top pods": "pod"}

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
		"wait":     {waitFlags, (*session).wait},
		"replace":  {replaceFlags, (*session).replace},
		"config":   {configFlags, (*session).config},
		"auth":     {authFlags, (*session).auth},

		"set image":          {setFlags, (*session).setImage},
		"set env":            {setEnvFlags, (*session).setEnv},
		"set resources":      {setResourcesFlags, (*session).setResources},
		"set serviceaccount": {setFlags, (*session).setServiceAccount},
		"set selector":       {setSelectorFlags, (*session).setSelector},
		"set subject":        {setSubjectFlags, (*session).setSubject},

		"rollout status":  {rolloutStatusFlags, rollout((*session).rolloutStatus, true)},
		"rollout history": {rolloutHistoryFlags, rollout((*session).history, false)},
		"rollout undo":    {rolloutUndoFlags, rollout((*session).undo, false)},
		"rollout pause":   {rolloutFlags, rollout((*session).pause, true)},
		"rollout resume":  {rolloutFlags, rollout((*session).resume, true)},
		"rollout restart": {rolloutFlags, rollout((*session).restart, true)},

		"api-resources": {apiResourceFlags, (*session).apiResources},
		"api-versions":  {"", (*session).apiVersions},
	}
}
