export interface Request { id: number; op: string; args?: unknown; }
export interface Answer { id: number; ok?: unknown; err?: Err; }
export interface Err { code: string; message: string; stack?: string; scenario?: string; }
export interface File { name: string; text: string; }
export interface Mark {
  file: string; line: number; column: number; endLine?: number; endColumn?: number;
  severity: string; message: string; source?: string;
}
export interface Ref { kind: string; namespace?: string; name: string; }
export interface Detail { name: string; value: string; }
export interface Record {
  id: number; cause?: number; at: number; source: string; stage?: string; ref: Ref;
  rev?: number; verdict: string; reason?: string; message?: string; detail?: Detail[];
}
export interface KindInfo { kind: string; plural: string; apiVersion: string; namespaced: boolean; }
export interface About { version: string; kubernetes: string; go: string; kinds: KindInfo[]; notSimulated: string[]; }
export interface Apply {
  object: string; file: string; line: number; exit: number; stdout: string; stderr: string; marks?: Mark[];
}
export interface Room { used: number; capacity: number; }
export interface NodeState {
  name: string; ready: boolean; schedulable: boolean; zone: string; taints: string[];
  cpu: Room; memory: Room; pods: Room; roles: string;
}
export interface ContainerState {
  name: string; init: boolean; state: string; reason?: string; ready: boolean; restarts: number; exitCode?: number;
}
export interface PodState {
  namespace: string; name: string; uid: string; node: string; phase: string; status: string; ready: string;
  restarts: number; ip: string; containers: ContainerState[]; owner?: string;
}
export interface State { now: number; nodes: NodeState[]; pods: PodState[]; counts: { [kind: string]: number }; }
export interface OpenArgs { files: File[]; seed?: number; for?: number; }
export interface OpenOK { branch: string; start: string; apply: Apply[]; state: State; }
export interface AdvanceArgs { to?: number; steps?: number; untilQuiescent?: boolean; }
export interface Progress {
  now: number; rev: number; records: Record[]; nextAt: number | null; quiescent: boolean; limit?: string;
}
export interface DoArgs { kind: string; files?: File[]; argv?: string[]; at?: number; }
export interface DoOK extends Progress {
  branch?: string; apply?: Apply[]; stdout?: string; stderr?: string; exit?: number;
}
export interface KubectlArgs { argv: string[]; files?: File[]; user?: string; at?: number; }
export interface KubectlOK { stdout: string; stderr: string; exit: number; }
export interface StateArgs { at?: number; }
export interface GetArgs { kind: string; namespace: string; name: string; format: string; at?: number; }
export interface GetOK { text: string; }
export interface ExplainArgs { record: number; }
export interface ExplainOK { chain: Record[]; text: string[]; hint?: string; }
export interface LintArgs { files: File[]; }
export interface LintOK { marks: Mark[]; }
export interface SchemaArgs { apiVersion: string; kind: string; path: string; }
export interface SchemaField { name: string; type: string; required: boolean; enum?: string[]; }
export interface SchemaOK { fields: SchemaField[]; }
