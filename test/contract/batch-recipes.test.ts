import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { parseCommandLine } from '../../src/cli/parse/command-line.ts';
import { FLAGS, NOUNS } from '../../src/registry.ts';
import { PAGES } from '../support/documents/pages.ts';
import { shellWords } from '../support/text/shell-words.ts';

// The recipes of the guide on shared batches, as far as they can be read without a cluster. test/e2e runs the script.

const blocks = PAGES.find(({ name }) => name === 'docs/guides/shared-batches.md')?.blocks ?? [];
const ofLanguage = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);
const [job, compose] = ofLanguage('yaml').map((text) => parseDocument(text));
const [script = '', task = ''] = ofLanguage('bash');

it('a shell accepts the scripts, and berth the commands in them', async () => {
  expect([script, task].map((text) => spawnSync('bash', ['-n'], { input: text }).status)).toEqual([0, 0]);
  const lines = [...script.matchAll(/^\s*(berth .*)$/gm)].map(([, line = '']) => line);
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(await parseCommandLine(shellWords(line).slice(1), { nouns: NOUNS, flags: FLAGS })).not.toHaveProperty(
      'failure',
    );
});

it('the options of the Slurm script stand before its first command', () => {
  const lines = task.trimEnd().split('\n');
  const options = lines.filter((line) => line.startsWith('#SBATCH --'));
  expect(lines.slice(1, options.length + 1)).toEqual(options);
  expect(options.every((line) => /^#SBATCH --[a-z-]+(=\S+)?$/.test(line))).toBe(true);
});

describe('the YAML', () => {
  it('is one document each', () => {
    expect([job, compose].flatMap((each) => [...(each?.errors ?? []), ...(each?.warnings ?? [])])).toEqual([]);
  });

  it('of the Job runs the script in each pod, with its secrets from a Secret', () => {
    const { kind, spec } = job?.toJS() as {
      readonly kind: string;
      readonly spec: {
        readonly completions: number;
        readonly parallelism: number;
        readonly template: { readonly spec: Readonly<Record<string, unknown>> };
      };
    };
    expect([kind, spec.completions]).toEqual(['Job', spec.parallelism]);
    const script = { mountPath: '/scripts', name: 'scripts' };
    expect(spec.template.spec).toMatchObject({
      restartPolicy: 'OnFailure',
      containers: [
        { command: ['sh', '/scripts/drive.sh'], envFrom: [{ secretRef: { name: 'nightly' } }], volumeMounts: [script] },
      ],
      volumes: [{ name: script.name, configMap: { name: 'nightly' } }],
    });
  });

  it('of compose has no password, and the drivers reach the database on their own machine', () => {
    const { services } = compose?.toJS() as { readonly services: Readonly<Record<string, Record<string, unknown>>> };
    expect(Object.keys(services)).toEqual(['database', 'driver']);
    expect(services['driver']).toMatchObject({
      command: ['sh', '/scripts/drive.sh'],
      network_mode: 'service:database',
      environment: { BERTH_STORE: 'postgres://berth:${STORE_PASSWORD:?set it in .env}@127.0.0.1/berth' },
    });
  });
});
