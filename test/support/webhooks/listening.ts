import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../worlds/test-world.ts';

/** Resolves when the standard error of a world holds a text of this form, with the match. Rejects when `run` ends before. */
export async function told(world: TestWorld, form: RegExp, run: Promise<Ran>): Promise<RegExpExecArray> {
  let ended: Ran | undefined;
  void run.then((ran) => (ended = ran));
  for (;;) {
    const found = form.exec(world.err());
    if (found !== null) return found;
    if (ended !== undefined) throw new Error(`it ended with ${String(ended.code)}: ${ended.err}`);
    await new Promise(setImmediate);
  }
}

/** A listener that runs in a world: where it listens, and what ends it with Ctrl-C. */
export async function listening(
  argv: readonly string[] = [],
  { format = 'jsonl', ...options }: TestWorldOptions & { readonly format?: string } = {},
): Promise<{ readonly world: TestWorld; readonly url: string; readonly stop: () => Promise<Ran> }> {
  const world = createTestWorld(options);
  const run = berthIn(world, ['webhooks', 'listen', '--port', '0', '-o', format, ...argv]);
  const [, url = ''] = await told(world, /Listening at (http:\/\/\S+?)[,.]\s/, run);
  return {
    world,
    url,
    stop: async () => {
      world.signal('SIGINT');
      return await run;
    },
  };
}
