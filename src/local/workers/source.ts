import type { ServedHandler } from '../model/endpoints/record.ts';

/** The program that serves an endpoint. */
export type EndpointSource =
  /** A JavaScript module, by its absolute path or `file:` URL. */
  | { readonly kind: 'module'; readonly path: string }
  /** A process a worker, which takes jobs by the worker protocol: a command line for a shell, or a program with arguments. */
  | { readonly kind: 'command'; readonly command: string | readonly string[]; readonly cwd: string }
  /** A process a job: input on stdin, output on stdout. Run by the shell. */
  | { readonly kind: 'exec'; readonly command: string; readonly cwd: string }
  /** Workers that somebody else starts, and that take jobs by the worker protocol. */
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
