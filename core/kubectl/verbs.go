package kubectl

var verbs map[string]verb

// aliases are other words for sub-commands.
var aliases = map[string]string{"config use": "use-context", "set sa": "serviceaccount", "set subjects": "subject", "top no": "node", "top nodes": "node", "top po": "pod", "top pods": "pod"}

// The table is filled here because the verbs reach it themselves.
func init() {
	verbs = map[string]verb{
		"apply":     {applyFlags, (*session).apply},
		"create":    {createFlags, (*session).createVerb},
		"get":       {getFlags, (*session).get},
		"describe":  {describeFlags, (*session).describe},
		"events":    {eventsFlags, (*session).events},
		"delete":    {deleteFlags, (*session).delete},
		"logs":      {logsFlags, (*session).logs},
		"label":     {modifyFlags, (*session).label},
		"annotate":  {modifyFlags, (*session).annotate},
		"scale":     {scaleFlags, (*session).scale},
		"autoscale": {autoscaleFlags, (*session).autoscale},
		"patch":     {patchFlags, (*session).patch},
		"cordon":    {cordonFlags, (*session).cordon},
		"uncordon":  {cordonFlags, (*session).uncordon},
		"taint":     {taintFlags, (*session).taint},
		"run":       {runFlags, (*session).run},
		"expose":    {exposeFlags, (*session).expose},
		"version":   {versionFlags, (*session).version},
		"wait":      {waitFlags, (*session).wait},
		"replace":   {replaceFlags, (*session).replace},

		"explain":      {explainFlags, (*session).explain},
		"edit":         {editFlags, (*session).edit},
		"exec":         {execFlags, (*session).execVerb},
		"debug":        {debugFlags, (*session).debug},
		"diff":         {diffFlags, (*session).diff},
		"drain":        {drainFlags, (*session).drain},
		"cluster-info": {"", (*session).clusterInfo},
		"top node":     {` no-headers selector,l= show-capacity show-swap sort-by= use-protocol-buffers`, (*session).top},
		"top pod":      {` all-namespaces,A containers field-selector= no-headers selector,l= show-swap sort-by= sum use-protocol-buffers`, (*session).top},

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

		"create token": {tokenFlags, (*session).token},
		"cp":           {` container,c= no-preserve retries=`, stream("source and destination are required", 2)},
		"attach":       {` container,c= detach-keys= pod-running-timeout= quiet,q stdin,i tty,t`, stream("at least 1 argument is required for attach", 1)},
		"port-forward": {` address= pod-running-timeout=`, stream("TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples", 2)},

		"apply view-last-applied": {` all selector,l= filename,f= output,o= recursive,R kustomize,k=`, (*session).viewLastApplied},

		"auth can-i":  {canIFlags, (*session).canI},
		"auth whoami": {whoamiFlags, (*session).whoami},

		"config view":            {configViewFlags, (*session).configView},
		"config current-context": {"", (*session).configCurrent},
		"config get-contexts":    {getContextsFlags, (*session).configContexts},
		"config get-clusters":    {"", (*session).configClusters},
		"config get-users":       {"", (*session).configUsers},
		"config use-context":     {"", (*session).configUse},
		"config rename-context":  {"", (*session).configRename},
		"config delete-context":  {"", (*session).configDelete},
		"config delete-cluster":  {"", (*session).configDelete},
		"config delete-user":     {"", (*session).configDelete},
		"config set-context":     {setContextFlags, (*session).configSetContext},
		"config set-cluster":     {setClusterFlags, (*session).configSetCluster},
		"config set-credentials": {setCredentialsFlags, (*session).configSetCredentials},
		"config set":             {` set-raw-bytes`, (*session).configSet},
		"config unset":           {"", (*session).configUnset},

		"api-resources": {apiResourceFlags, (*session).apiResources},
		"api-versions":  {"", (*session).apiVersions},
	}
}
