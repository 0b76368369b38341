/** A setting that a kind of fault has, as a member of the fault. */
interface FaultSetting {
  /** The value when the fault does not set it. */
  readonly fallback: number;
  readonly minimum: number;
  readonly maximum?: number;
  /** The help of the option that sets it. */
  readonly help: string;
}

/** The settings that kinds of faults have, by the member of the fault. */
export const FAULT_SETTINGS = {
  /** HTTP status. */
  status: { fallback: 503, minimum: 500, maximum: 599, help: 'the status of a server-error (default 503)' },
  latencyMs: { fallback: 1000, minimum: 0, maximum: 3_600_000, help: 'how late a latency answers (default 1s)' },
  /** Seconds. */
  retryAfter: { fallback: 1, minimum: 0, help: 'what a rate-limit asks to wait (default 1s)' },
} as const satisfies Readonly<Record<string, FaultSetting>>;

export type FaultSettingName = keyof typeof FAULT_SETTINGS;

interface FaultKindRow {
  readonly name: string;
  /** What it does, for the help of `berth local fault add`, when the name does not say it. */
  readonly details?: string;
  /** Which requests it affects when the fault does not say; every request when absent. */
  readonly match?: string;
}

/** The kinds of faults that a local service can inject. Their effects are in `src/local/frame/fault-effects.ts`. */
export const FAULT_KINDS = [
  { name: 'rate-limit' },
  { name: 'server-error' },
  { name: 'latency' },
  { name: 'drop', details: 'drop closes the connection before the request is taken.' },
  { name: 'accept-drop', details: 'accept-drop carries it out first and then drops the answer.' },
  {
    name: 'low-balance',
    details: 'low-balance answers 402 to every POST, or to what --match says.',
    // An account without money cannot start anything, but it can read.
    match: 'POST',
  },
] as const satisfies readonly FaultKindRow[];

export type FaultKind = (typeof FAULT_KINDS)[number]['name'];

/** Which requests a kind of fault affects when the fault does not say; undefined for every request. */
export const defaultMatch = (kind: FaultKind): string | undefined => {
  const row: FaultKindRow | undefined = FAULT_KINDS.find(({ name }) => name === kind);
  return row?.match;
};
