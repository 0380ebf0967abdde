// The sentence a person would say about where a pod is. The real message always
// stands beside it; these sentences add the meaning, never facts of their own. Pure.
import type { PodState, Record as Rec } from '../protocol';
import type { Line } from './flow';
import type { Lang } from './words';

type Said = { readonly [lang in Lang]: string };

const STATUS: { [status: string]: Said } = {
  Running: { en: 'All containers run.', zh: '所有容器都在运行。' },
  Completed: { en: 'The containers have finished their work and exited with 0.', zh: '容器已完成工作，退出码为 0。' },
  ContainerCreating: { en: 'The kubelet prepares volumes, image and sandbox.', zh: 'kubelet 正在准备卷、镜像和沙箱。' },
  PodInitializing: { en: 'The init containers are done; the containers come next.', zh: 'init 容器已完成，接下来是主容器。' },
  Terminating: { en: 'The pod is being ended: its containers have the grace period to stop.', zh: 'Pod 正在结束：容器在宽限期内停止。' },
  ErrImagePull: { en: 'The image could not be pulled. Check its name, tag and permission.', zh: '无法拉取镜像。请检查名称、标签和拉取权限。' },
  ImagePullBackOff: {
    en: 'The image cannot be pulled. Check its name, tag and permission.',
    zh: '镜像无法拉取。请检查名称、标签和拉取权限。',
  },
  ErrImageNeverPull: { en: 'The image is not on the node, and the pull policy forbids pulling it.', zh: '镜像不在节点上，而拉取策略禁止拉取。' },
  InvalidImageName: { en: 'The image name is not a valid name; no pull is tried.', zh: '镜像名称不合法，不会尝试拉取。' },
  CrashLoopBackOff: {
    en: 'The container exits again and again. Exit code and logs say why.',
    zh: '容器反复退出。退出码和日志说明原因。',
  },
  Error: { en: 'The container exited with an error. Exit code and logs say why.', zh: '容器出错退出。退出码和日志说明原因。' },
  OOMKilled: { en: 'The container used more memory than its limit and was killed.', zh: '容器使用的内存超过限制，被终止。' },
  CreateContainerConfigError: { en: 'The container cannot be made: something that it refers to is missing.', zh: '无法创建容器：它引用的东西不存在。' },
  CreateContainerError: { en: 'The runtime could not make the container.', zh: '运行时无法创建容器。' },
  RunContainerError: { en: 'The runtime could not start the container.', zh: '运行时无法启动容器。' },
  StartError: { en: 'The runtime could not start the program.', zh: '运行时无法启动程序。' },
  SchedulingGated: { en: 'The pod has scheduling gates: the scheduler waits until they are removed.', zh: 'Pod 有调度门控，移除之前调度器不会处理它。' },
  DeadlineExceeded: { en: 'The pod was active longer than its deadline allows.', zh: 'Pod 的活动时间超过了期限。' },
  Evicted: { en: 'The kubelet evicted the pod because its node ran short.', zh: '节点资源不足，kubelet 驱逐了此 Pod。' },
  OutOfcpu: { en: 'The kubelet refused the pod: the node has too little CPU left.', zh: 'kubelet 拒绝了此 Pod：节点剩余 CPU 不足。' },
  OutOfmemory: { en: 'The kubelet refused the pod: the node has too little memory left.', zh: 'kubelet 拒绝了此 Pod：节点剩余内存不足。' },
};

const REASON: { [reason: string]: Said } = {
  FailedScheduling: { en: 'No node can take the pod. Each node says why.', zh: '没有节点能接收此 Pod，每个节点都给出了原因。' },
  FailedMount: { en: 'A volume cannot be mounted yet; the kubelet tries again.', zh: '卷暂时无法挂载，kubelet 会重试。' },
  FailedAttachVolume: { en: 'A volume cannot be attached to the node yet.', zh: '卷暂时无法附加到节点。' },
  FailedCreatePodSandBox: { en: 'The pod has no sandbox yet: its network could not be set up.', zh: 'Pod 还没有沙箱：网络无法建立。' },
  Unhealthy: { en: 'A probe fails.', zh: '探针失败。' },
};

const STATION: { [stage: string]: Said } = {
  submitted: { en: 'kubectl sends the manifest to the API server.', zh: 'kubectl 将清单发送给 API server。' },
  authorised: { en: 'The API server checks who asks, and whether they may.', zh: 'API server 检查请求者的身份和权限。' },
  admitted: { en: 'Admission fills in defaults and checks the object.', zh: '准入控制填入默认值并检查对象。' },
  stored: { en: 'The object is stored in etcd; the watching components hear of it.', zh: '对象已存入 etcd，监听的组件会收到通知。' },
  scheduled: { en: 'The scheduler has chosen a node.', zh: '调度器已选择节点。' },
  volumes: { en: 'The kubelet mounts the volumes.', zh: 'kubelet 挂载卷。' },
  pulled: { en: 'The kubelet has the image pulled, if the node lacks it.', zh: '若节点上没有镜像，kubelet 会拉取。' },
  sandbox: { en: 'The sandbox holds the network; the pod gets its address.', zh: '沙箱持有网络，Pod 获得地址。' },
  init: { en: 'The init containers run, one after the other.', zh: 'init 容器依次运行。' },
  started: { en: 'The containers are created and started.', zh: '容器被创建并启动。' },
  probed: { en: 'The probes ask the containers how they are.', zh: '探针检查容器的状况。' },
  ready: { en: 'The pod is ready to be asked.', zh: 'Pod 已就绪，可以接收请求。' },
  endpoints: { en: 'Services send requests to the pod’s address.', zh: 'Service 会把请求发往 Pod 的地址。' },
};

const STOPPED: { [stage: string]: Said } = {
  submitted: { en: 'kubectl could not send this manifest.', zh: 'kubectl 无法发送此清单。' },
  authorised: { en: 'The API server does not allow this request.', zh: 'API server 不允许此请求。' },
  admitted: { en: 'The API server refused the object.', zh: 'API server 拒绝了此对象。' },
  stored: { en: 'The object could not be stored.', zh: '对象无法存储。' },
  scheduled: { en: 'No node can take the pod. Each node says why.', zh: '没有节点能接收此 Pod，每个节点都给出了原因。' },
  volumes: { en: 'A volume cannot be mounted.', zh: '卷无法挂载。' },
  pulled: { en: 'The image could not be pulled.', zh: '无法拉取镜像。' },
  sandbox: { en: 'The sandbox could not be made.', zh: '无法创建沙箱。' },
  init: { en: 'An init container has failed.', zh: '一个 init 容器失败了。' },
  started: { en: 'A container could not run, or has exited.', zh: '容器无法运行或已退出。' },
  probed: { en: 'A probe fails.', zh: '探针失败。' },
  ready: { en: 'The pod is not ready.', zh: 'Pod 未就绪。' },
  endpoints: { en: 'The pod is not among a Service’s endpoints.', zh: 'Pod 不在 Service 的端点中。' },
};

/** What a person would say about the pod at this moment. */
export function sentence(line: Line, pod: PodState | null, lang: Lang): string {
  if (line.gone) return lang === 'en' ? 'The pod is gone: its object was deleted.' : 'Pod 已不存在：其对象已被删除。';
  if (pod && /^Init:/.test(pod.status)) return initSentence(pod.status, lang);
  const r = line.record;
  const trouble = r ? STATUS[r.reason ?? ''] ?? REASON[r.reason ?? ''] : undefined;
  if (r && stopped(r)) return (STATUS[pod?.status ?? ''] ?? trouble ?? STOPPED[r.stage ?? ''])?.[lang] ?? '';
  if (pod?.status === 'Running' && !allReady(pod)) {
    return lang === 'en' ? 'The containers run, but not all of them are ready.' : '容器在运行，但并非全部就绪。';
  }
  if (pod && pod.status !== 'Pending' && STATUS[pod.status]) return STATUS[pod.status]![lang];
  return STATION[r?.stage ?? '']?.[lang] ?? '';
}

const stopped = (r: Rec): boolean => ['failed', 'denied', 'waiting'].includes(r.verdict);

function allReady(pod: PodState): boolean {
  const [ready, all] = pod.ready.split('/');
  return ready === all;
}

function initSentence(status: string, lang: Lang): string {
  const bad = STATUS[status.slice('Init:'.length)];
  if (bad) return (lang === 'en' ? 'In an init container: ' : 'init 容器中：') + bad[lang];
  return STATION['init']![lang];
}

/** What a person would say about a file that was not accepted. */
export function rejection(lang: Lang): string {
  return lang === 'en' ? 'Not everything was accepted. kubectl prints:' : '并非全部被接受。kubectl 的输出：';
}
