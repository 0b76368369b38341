/** What serves an endpoint. Paths are absolute. */
export type EndpointSource =
  /** A JavaScript module that exports a handler; `path` may be a `file:` URL. Its workers are threads. */
  | { readonly kind: 'module'; readonly path: string }
  /** A process for each worker, which speaks the worker protocol. Text is run by the shell, a list is a program and its arguments. */
  | { readonly kind: 'command'; readonly command: string | readonly string[]; readonly cwd: string }
  /** A process for each job: the input on its stdin, the output on its stdout. Run by the shell. */
  | { readonly kind: 'exec'; readonly command: string; readonly cwd: string }
  /** Only workers that somebody else starts. */
  | { readonly kind: 'attach' };
