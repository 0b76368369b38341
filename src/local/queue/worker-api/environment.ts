interface WorkerEnvironment {
  /** Without the underscore: the worker's library reads variables with its own prefix. */
  readonly prefix: string;
  readonly origin: string;
  readonly endpointId: string;
  readonly workerId: string;
  readonly key: string;
  readonly pingIntervalMs: number;
}

/** The library replaces `$ID` and `$PREFIX_POD_ID`, and appends to the queries (worker protocol). */
export function workerEnvironment(options: WorkerEnvironment): Readonly<Record<string, string>> {
  const { prefix, origin, endpointId, workerId, key, pingIntervalMs } = options;
  const base = `${origin}/worker/${encodeURIComponent(endpointId)}`;
  const pod = `$${prefix}_POD_ID`;
  const variables = {
    WEBHOOK_GET_JOB: `${base}/job-take/$ID?service=local`,
    WEBHOOK_POST_OUTPUT: `${base}/job-done/${pod}/$ID?service=local`,
    WEBHOOK_POST_STREAM: `${base}/job-stream/${pod}/$ID?service=local`,
    WEBHOOK_PING: `${base}/ping/${pod}?service=local`,
    PING_INTERVAL: String(pingIntervalMs),
    AI_API_KEY: key,
    POD_ID: workerId,
    POD_HOSTNAME: workerId,
    ENDPOINT_ID: endpointId,
    SKIP_AUTO_SYSTEM_CHECKS: 'true',
    SKIP_GPU_CHECK: 'true',
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${prefix}_${name}`, value]));
}
