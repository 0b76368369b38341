import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { OUT } from './command-fixture.ts';
import { writeBatch } from './written-batch.ts';
import { serve, type Seen, type TestServer } from '../servers/http-server.ts';
import { berthIn, type Ran } from '../worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../worlds/test-world.ts';

export const FETCH = ['jobs', 'batch', 'export', OUT, '--fetch-outputs'];

export function worldWith(outputs: readonly unknown[]): TestWorld {
  const world = createTestWorld({ env: { BERTH_API_KEY: 'secret-key-of-this-test' } });
  writeBatch(
    world.directory,
    outputs.map((output) => ({ ending: 'completed' as const, output })),
  );
  return world;
}

export const filesIn = (world: TestWorld, folder = 'files'): readonly string[] =>
  readdirSync(join(world.directory, folder)).toSorted();
export const contentOf = (world: TestWorld, name: string): string =>
  readFileSync(join(world.directory, 'files', name), 'utf8');

interface Summary {
  readonly files: number;
  readonly downloaded: number;
  readonly existing: number;
  readonly failed: number;
  readonly failures: readonly { readonly item: number; readonly address: string; readonly reason: string }[];
}
export const summaryOf = ({ out }: Ran): Summary => JSON.parse(out) as Summary;

/** Serves the path of each request as the content. */
export const servePaths = (
  change: (response: ServerResponse, seen: Seen, count: number) => boolean = () => false,
): Promise<TestServer> =>
  serve((response, seen, count) => {
    if (!change(response, seen, count)) response.end(`content of ${seen.url}`);
  });

export const fetchFrom = async (
  world: TestWorld,
  server: TestServer,
  field: string,
  ...flags: string[]
): Promise<Ran> =>
  await berthIn(world, [
    ...[...FETCH, field, '--into', 'files', '--json'],
    ...['--fetch-from', `127.0.0.1:${String(server.port)}`],
    ...flags,
  ]);
