import type { Served } from '../../model/endpoints/record.ts';

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

/** How the queue treats the endpoint of a source. The program of a list is its last word: the file that Python runs. */
export function servedBy(source: EndpointSource): Served {
  switch (source.kind) {
    case 'module':
    case 'exec':
      return { handler: 'module' };
    case 'command': {
      const { command } = source;
      const program = typeof command === 'string' ? command : command.at(-1);
      return { handler: 'protocol', ...(program === undefined ? {} : { program }) };
    }
    case 'attach':
      return { handler: 'attach' };
  }
}
