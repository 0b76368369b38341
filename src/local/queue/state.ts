/** Jobs, workers and counts of every endpoint. */
export interface QueueState {
  readonly jobs: Record<string, never>;
}
