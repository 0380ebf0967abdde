// Every word that Podwalk says, in English and Chinese. What Kubernetes prints
// is never here: it is shown as it is.

export type Lang = 'en' | 'zh';

const en = {
  title: 'Podwalk', example: 'Example', own: 'Your manifest', run: 'Run', share: 'Share', copied: 'Link copied',
  inAddress: 'Link is in the address bar', badLink: 'This link could not be read', language: 'Language', theme: 'Theme',
  themeAuto: 'system', themeLight: 'light', themeDark: 'dark', present: 'Present', leavePresent: 'Leave present mode', keys: 'Keys',
  close: 'Close', first: 'To the start', back: 'Back one step', play: 'Play', pause: 'Pause', next: 'Forward one step', last: 'To the end',
  speed: 'Speed', time: 'Moment', timeline: 'Timeline', step: 'Step', of: 'of', branch: 'Branch', runOn: 'Run on', goesOn: 'Goes on',
  quiescent: 'Nothing more will happen', editor: 'Manifest', addFile: 'Add a file', rename: 'Rename', removeFile: 'Remove', fileName: 'File name',
  files: 'Files', commandLine: 'kubectl command', commandHint: 'kubectl get pods', session: 'Commands', line: 'Line of stations', pod: 'Pod',
  map: 'Map', cluster: 'Cluster', events: 'Events', describe: 'Describe', yaml: 'YAML', logs: 'Logs', why: 'Why', scheduling: 'Scheduling',
  workloads: 'Workloads', noWorkloads: 'Deployments, Jobs and other owners of pods appear here, with their pods below them.', tObject: 'Object', tNamespace: 'Namespace', backTo: 'Back to',
  panels: 'Panels', whyAsk: 'Why?', nothingYet: 'No pod yet', writeManifest: 'Write a manifest on the left, or pick an example.',
  noEvents: 'Events that the components report about this pod appear here.', noPodText: 'Appears here once a pod is stored.',
  noLogs: 'What the container prints appears here. It has printed nothing so far.', previous: 'Previous run', container: 'Container', byDefault: 'default',
  noWhy: 'Choose an event, a station or “Why?”: the records that led to it appear here, the cause first.',
  noAttempts: 'The verdict of each node appears here when the scheduler has looked at this pod.', fits: 'fits', chosenNode: 'chosen',
  noNodes: 'The nodes of the cluster appear here.', allRecords: 'All records of this pod', chain: 'From the cause to the effect',
  loading: 'Loading the simulator', loadFailed: 'The simulator could not be loaded.', retry: 'Retry', crashed: 'The simulator stopped. It was restarted and your run replayed.',
  crashedHard: 'The simulator stopped and could not replay this run. Change the manifest or try again.',
  downloadScenario: 'Download this scenario', stack: 'Stack', dismiss: 'Dismiss', limit: 'Stopped by a limit', showing: 'Computed in advance',
  cpu: 'CPU', memory: 'Memory', pods: 'Pods', node: 'Node', status: 'Status', ready: 'Ready', notReady: 'not ready', cordoned: 'cordoned',
  moreNodes: 'more', tType: 'Type', tReason: 'Reason', tTime: 'Time', tFrom: 'From', tMessage: 'Message', tVerdict: 'Verdict', tSource: 'Source', tPlugin: 'Plugin',
  goLine: 'Go to line', problems: 'What is wrong with the manifest', notSimulated: 'Not simulated', assumed: 'Assumed', unreadable: 'Working it out', waitingNode: 'waiting for a node',
  client: 'client', apiserver: 'API server', etcd: 'etcd', scheduler: 'scheduler', controllers: 'controllers', rejected: 'rejected', applied: 'What kubectl printed',
  network: 'Network', netViews: { request: 'Request', rules: 'kube-proxy rules', matrix: 'Who reaches whom' }, netFrom: 'From', netTo: 'to', send: 'Send a request',
  noRequest: 'Send a request from a pod, a node or outside: each hop appears here, and the first that fails.', endsAt: 'It ends at', arrives: 'It arrives:',
  mode: 'Mode', ownMode: 'this cluster', onlyMet: 'only the rules that the last request met', met: 'met:', noRules: 'No rule of this kind.',
  lastChange: 'what the last change did', noChange: 'The last change left the rules of this node as they were.',
  noMatrix: 'Pods that run appear here, each with what the NetworkPolicies let it reach.', reaches: 'reaches', keptOut: 'kept out',
  notEnforced: 'Nothing is blocked in this cluster: its network plugin does not enforce NetworkPolicies. This is what they would say. Plugin:',
  nodeMenu: 'what can be done to it', faults: 'Stop', controllerManager: 'controller manager', registries: 'image registries', standsStill: 'stopped',
  isDown: 'no power', kubeletStopped: 'kubelet stopped', isCut: 'network cut', shortOf: 'short of',
  deeds: {
    nodeDown: 'Stop the machine', nodeUp: 'Start the machine', kubeletStop: 'Stop the kubelet', kubeletStart: 'Start the kubelet',
    networkCut: 'Cut its network', networkHeal: 'Mend its network', memoryShort: 'Take its memory', memoryBack: 'Give memory back',
    cordon: 'Cordon', uncordon: 'Uncordon', drain: 'Drain',
  },
  stations: {
    submitted: 'Submitted', authorised: 'Authorised', admitted: 'Admitted', stored: 'Stored', scheduled: 'Scheduled', volumes: 'Volumes',
    pulled: 'Pulled', sandbox: 'Sandbox', init: 'Init', started: 'Started', probed: 'Probed', ready: 'Ready', endpoints: 'Endpoints',
  },
  marks: { ahead: 'not reached', waiting: 'waiting', moving: 'in progress', well: 'done', failed: 'failed', passed: 'no stop' },
  keyList: [
    ['Ctrl or ⌘ + Enter', 'run'], ['Esc', 'leave the editor, or present mode'], ['← →', 'one step back or forward'], ['Home, End', 'start, end'],
    ['Space', 'play or pause'], ['1 to 9', 'panels'], ['e', 'to the editor'], ['k', 'to the kubectl line'], ['p', 'present'], ['?', 'these keys'],
  ],
};

type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] extends string[][] ? string[][] : Shape<T[K]> };
export type Words = Shape<typeof en>;

const zh: Words = {
  title: 'Podwalk', example: '示例', own: '你的清单', run: '运行', share: '分享', copied: '链接已复制',
  inAddress: '链接在地址栏中', badLink: '无法读取此链接', language: '语言', theme: '主题',
  themeAuto: '跟随系统', themeLight: '浅色', themeDark: '深色', present: '演示', leavePresent: '退出演示', keys: '按键',
  close: '关闭', first: '回到开始', back: '后退一步', play: '播放', pause: '暂停', next: '前进一步', last: '到最后',
  speed: '速度', time: '时刻', timeline: '时间线', step: '第', of: '/', branch: '分支', runOn: '继续运行', goesOn: '还会继续',
  quiescent: '之后不会再有变化', editor: '清单', addFile: '添加文件', rename: '重命名', removeFile: '删除', fileName: '文件名',
  files: '文件', commandLine: 'kubectl 命令', commandHint: 'kubectl get pods', session: '命令记录', line: '站点线路', pod: 'Pod',
  map: '地图', cluster: '集群', events: '事件', describe: 'Describe', yaml: 'YAML', logs: '日志', why: '原因', scheduling: '调度',
  workloads: '工作负载', noWorkloads: 'Deployment、Job 等拥有 Pod 的对象会显示在这里，下面是它们的 Pod。', tObject: '对象', tNamespace: '命名空间', backTo: '回到',
  panels: '面板', whyAsk: '为什么？', nothingYet: '还没有 Pod', writeManifest: '在左侧编写清单，或选择一个示例。',
  noEvents: '各组件为此 Pod 报告的事件会显示在这里。', noPodText: 'Pod 被存储后显示在这里。',
  noLogs: '容器的输出会显示在这里，目前还没有输出。', previous: '上一次运行', container: '容器', byDefault: '默认',
  noWhy: '选择一个事件、站点或“为什么？”，导致它的记录会显示在这里，原因在先。',
  noAttempts: '调度器查看此 Pod 后，每个节点的结论会显示在这里。', fits: '合适', chosenNode: '选中',
  noNodes: '集群的节点会显示在这里。', allRecords: '此 Pod 的全部记录', chain: '从原因到结果',
  loading: '正在加载模拟器', loadFailed: '模拟器加载失败。', retry: '重试', crashed: '模拟器停止了，已重启并重放你的运行。',
  crashedHard: '模拟器停止了，且无法重放此运行。请修改清单或重试。',
  downloadScenario: '下载此场景', stack: '调用栈', dismiss: '关闭', limit: '因限制而停止', showing: '预先算出的结果',
  cpu: 'CPU', memory: '内存', pods: 'Pod', node: '节点', status: '状态', ready: '就绪', notReady: '未就绪', cordoned: '已封锁',
  moreNodes: '个其他节点', tType: '类型', tReason: '原因', tTime: '时间', tFrom: '来源', tMessage: '消息', tVerdict: '结论', tSource: '来源', tPlugin: '插件',
  goLine: '转到行', problems: '清单中的问题', notSimulated: '未模拟', assumed: '假定', unreadable: '计算中', waitingNode: '等待节点',
  client: '客户端', apiserver: 'API server', etcd: 'etcd', scheduler: '调度器', controllers: '控制器', rejected: '被拒绝', applied: 'kubectl 的输出',
  network: '网络', netViews: { request: '请求', rules: 'kube-proxy 规则', matrix: '谁能访问谁' }, netFrom: '从', netTo: '到', send: '发送请求',
  noRequest: '从 Pod、节点或集群外发送请求：每一跳都会显示在这里，包括最先失败的一跳。', endsAt: '止于', arrives: '已到达：',
  mode: '模式', ownMode: '本集群', onlyMet: '仅显示上次请求命中的规则', met: '命中：', noRules: '没有此类规则。',
  lastChange: '仅显示最近一次变更', noChange: '最近一次变更没有改动此节点的规则。',
  noMatrix: '运行中的 Pod 会显示在这里，以及 NetworkPolicy 允许它访问的对象。', reaches: '可访问', keptOut: '被拒',
  notEnforced: '本集群的网络插件不执行 NetworkPolicy，实际不会阻止任何流量；下面是策略本应给出的结论。插件：',
  nodeMenu: '可以做什么', faults: '停止', controllerManager: '控制器管理器', registries: '镜像仓库', standsStill: '已停止',
  isDown: '断电', kubeletStopped: 'kubelet 已停止', isCut: '网络中断', shortOf: '不足：',
  deeds: {
    nodeDown: '关闭机器', nodeUp: '启动机器', kubeletStop: '停止 kubelet', kubeletStart: '启动 kubelet',
    networkCut: '切断网络', networkHeal: '恢复网络', memoryShort: '占用内存', memoryBack: '归还内存',
    cordon: '封锁', uncordon: '解除封锁', drain: '驱逐全部 Pod',
  },
  stations: {
    submitted: '提交', authorised: '授权', admitted: '准入', stored: '存储', scheduled: '调度', volumes: '卷',
    pulled: '拉取镜像', sandbox: '沙箱', init: '初始化', started: '启动', probed: '探测', ready: '就绪', endpoints: '端点',
  },
  marks: { ahead: '未到达', waiting: '等待', moving: '进行中', well: '完成', failed: '失败', passed: '不停站' },
  keyList: [
    ['Ctrl 或 ⌘ + Enter', '运行'], ['Esc', '离开编辑器或退出演示'], ['← →', '后退或前进一步'], ['Home、End', '开始、结束'],
    ['空格', '播放或暂停'], ['1 到 9', '面板'], ['e', '到编辑器'], ['k', '到 kubectl 命令行'], ['p', '演示'], ['?', '本列表'],
  ],
};

export const WORDS: { readonly [lang in Lang]: Words } = { en, zh };
