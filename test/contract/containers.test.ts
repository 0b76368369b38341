import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LOCAL_KEY } from '../../src/local/index.ts';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';

// Form only: nothing here builds an image or starts a container.

const fileOf = (name: string): string =>
  readFileSync(new URL(`../../docs/containers/${name}`, import.meta.url), 'utf8');

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command?: readonly string[]; readonly environment: Readonly<Record<string, string>> }>
  >;
}

const dockerfile = fileOf('Dockerfile');
const compose = parse(fileOf('compose.yaml'), { merge: true }) as Compose;

describe('docs/containers', () => {
  it('copies only files that are there, beside the archive of berth', () => {
    const copied = [...dockerfile.matchAll(/^COPY (\S+)/gm)].map(([, name = '']) => name);
    expect(copied[0]).toBe('berth-*.tgz');
    for (const name of copied.slice(1)) expect(fileOf(name)).not.toBe('');
  });

  it('starts the worker with a command of berth that exists', async () => {
    const [, , script = ''] = JSON.parse(
      /^CMD (.*(?:\\\n.*)*)/m.exec(dockerfile)?.[1]?.replaceAll('\\\n', '') ?? '[]',
    ) as string[];
    const [, line = ''] = /\$\(berth ([^)]*)\)/.exec(script) ?? [];
    const parsed = await parseCommandLine(line.split(' '), { nouns: NOUNS, flags: FLAGS });
    expect('failure' in parsed).toBe(false);
    expect(script).toContain('exec python3');
  });

  it('has a compose.yaml with the local service and two workers, on one network and with its key', async () => {
    const { local, worker } = compose.services;
    expect(Object.keys(compose.services)).toEqual(['local', 'worker']);
    expect(worker).toMatchObject({ network_mode: 'service:local', deploy: { replicas: 2 } });
    expect(local?.command?.[0]).toBe('berth');
    const parsed = await parseCommandLine(local?.command?.slice(1) ?? [], { nouns: NOUNS, flags: FLAGS });
    expect('failure' in parsed).toBe(false);
    for (const service of [local, worker]) {
      expect(service?.environment['BERTH_API_KEY']).toBe(LOCAL_KEY);
      expect(service?.environment['BERTH_BASE_URL']).toContain(
        `:${local?.command?.[local.command.indexOf('--port') + 1] ?? ''}`,
      );
    }
  });
});
