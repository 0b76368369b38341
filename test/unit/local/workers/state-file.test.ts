import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { endpoints } from '../../../../src/local/model/endpoints.ts';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';
import { savedState } from '../../../support/local/saved-state.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

let directory: string;
let handler: string;
beforeEach(async () => {
  directory = temporaryDirectory();
  handler = join(directory, 'handler.mjs');
  await writeFile(
    handler,
    'export default (input) => { console.log("heard", input.n); return { twice: 2 * input.n }; };',
  );
});

/** Looks until a job has ended; the handler runs in a thread, in real time. */
async function ended({ send, clock }: LocalFixture, path: string): Promise<Readonly<Record<string, unknown>>> {
  for (let look = 0; look < 500; look++) {
    const { body } = await send('GET', path);
    if (body['status'] !== 'IN_QUEUE' && body['status'] !== 'IN_PROGRESS') return body;
    clock.advance(50);
    await setTimeout(5);
  }
  throw new Error('the job did not end');
}

const run = async (local: LocalFixture, endpoint: string): Promise<Readonly<Record<string, unknown>>> => {
  const { body } = await local.send('POST', `/v2/${endpoint}/run`, { input: { n: 4 } });
  return ended(local, `/v2/${endpoint}/status/${String(body['id'])}`);
};

describe('handler modules and a state file', () => {
  it('what a module serves is in the file what it is without it', async () => {
    const path = join(directory, 'state.json');
    const source = { kind: 'module', path: handler } as const;
    const handlers = { mine: source, echo: source };
    const served = localFixture({ store: fileStore(path), handlers });
    served.service.start(0);
    try {
      expect(await run(served, 'mine')).toMatchObject({ status: 'COMPLETED', output: { twice: 8 } });
      expect(await run(served, 'echo')).toMatchObject({ status: 'COMPLETED', output: { twice: 8 } });
    } finally {
      await served.service.stop();
    }
    const state = savedState(path);
    expect(['mine', 'echo'].map((id) => endpoints.get(state, id)?.handler)).toEqual(['unserved', 'echo']);

    const later = localFixture({ store: fileStore(path) });
    later.clock.advance(60_000);
    expect(await run(later, 'echo')).toMatchObject({ status: 'COMPLETED', output: { n: 4 } });
    expect(await run(later, 'mine')).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('berth local serve --endpoint') as string,
    });
  });
});
