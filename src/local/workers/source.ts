import type { ServedHandler } from '../model/endpoints/record.ts';

/** The program that serves an endpoint. */
export type EndpointSource =
  /** A JavaScript module, by its absolute path or `file:` URL. */
  | { readonly kind: 'module'; readonly path: string }
  /**
   * One process per worker, which requests jobs by the worker protocol: a command line for a shell, or a program with
   * arguments.
   */
  | { readonly kind: 'command'; readonly command: string | readonly string[]; readonly cwd: string }
  /** One process per job: input on stdin, output on stdout. Run by the shell. */
  | { readonly kind: 'exec'; readonly command: string; readonly cwd: string }
  /** Workers that another program starts, and that request jobs by the worker protocol. */
  | { readonly kind: 'attach' };

/** How the queue treats the endpoint of a source. */
export function servedHandlerOf({ kind }: EndpointSource): ServedHandler {
  switch (kind) {
    case 'module':
    case 'exec':
      return 'module';
    case 'command':
      return 'protocol';
    case 'attach':
      return 'attach';
  }
}
