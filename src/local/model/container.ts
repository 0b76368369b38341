import { split } from 'shlex';
import { isObject } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { badRequest } from '../contract/problem.ts';
import { createRecordTable } from '../state/state.ts';

/** Storage mounted on a pod, as in answers (specification 2.3). */
export interface MountsRecord {
  persistent?: { size: number; path: string };
  network?: { volumeId: string; path: string }[];
}

/** The container configuration that endpoints, pods and templates share (specification 2.1). */
export interface ContainerRecord {
  image: string;
  args: string;
  disk: number;
  ports: string[];
  env: Record<string, string>;
  registry: string | null;
}

export const newContainer = (): ContainerRecord => ({
  image: '',
  args: '',
  disk: 20,
  ports: [],
  env: {},
  registry: null,
});

interface Command {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** The members of a body that set the command (additions 2). */
export interface CommandBody {
  readonly args?: string;
  readonly cmd?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
}

/** JSON with `entrypoint` or `cmd`, else `cmd` split as a shell does (at white space if a quote is open). */
export function decodeCommand(args: string): Command {
  const text = args.trim();
  if (text === '') return { entrypoint: [], cmd: [] };
  return jsonCommand(text) ?? { entrypoint: [], cmd: words(text) };
}

/** An absent array is kept. Throws the 400 Problem when `args` and an array disagree. */
export function argsWith(current: string, { args, cmd, entrypoint }: CommandBody): string {
  if (args === undefined) {
    if (cmd === undefined && entrypoint === undefined) return current;
    const kept = decodeCommand(current);
    return encodeCommand({ entrypoint: entrypoint ?? kept.entrypoint, cmd: cmd ?? kept.cmd });
  }
  const said = decodeCommand(args);
  if (!isSame(cmd ?? said.cmd, said.cmd) || !isSame(entrypoint ?? said.entrypoint, said.entrypoint))
    throw badRequest('args does not say the same command as cmd and entrypoint');
  return args;
}

const encodeCommand = ({ entrypoint, cmd }: Command): string =>
  entrypoint.length + cmd.length === 0
    ? ''
    : JSON.stringify({
        ...(entrypoint.length > 0 ? { entrypoint } : {}),
        ...(cmd.length > 0 ? { cmd } : {}),
      });

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, index) => word === other[index]);

function words(text: string): readonly string[] {
  try {
    return split(text);
  } catch {
    return text.split(/\s+/);
  }
}

/** Undefined for what is not such an object: it is plain text then. */
function jsonCommand(text: string): Command | undefined {
  if (!text.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { entrypoint = [], cmd = [], ...others } = value;
  const isOne = Object.keys(value).length > 0 && Object.keys(others).length === 0;
  return isOne && areWords(entrypoint) && areWords(cmd) ? { entrypoint, cmd } : undefined;
}

const areWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');

/** Images are not run, so the name decides: `does-not-start` ends right after its start. */
export const doesNotStart = (image: string): boolean => /(^|\/)does-not-start(:|@|$)/.test(image);

export const LAST_WORDS = 'fatal: cannot open /models/weights.bin: no such file';

/** No image has a space in its name. */
export const imageOfProgram = (program: string): string => `local: ${program}`;

export const programOf = (image: string): string | undefined => /^local: (.+)$/s.exec(image)?.[1];

export type TemplateSource = 'official' | 'verified' | 'community';

export interface TemplateRecord extends ContainerRecord {
  id: string;
  name: string;
  /** Absent for the first templates of an account. */
  createdAt?: EpochMs;
  mounts: Pick<MountsRecord, 'persistent'>;
  serverless: boolean;
  public: boolean;
  category: 'CPU' | 'NVIDIA' | 'AMD';
  startSsh: boolean;
  startJupyter: boolean;
  allowedCudaVersions: string[];
  /** Absent when the template belongs to this account. */
  publisher?: TemplateSource;
}

export function newTemplate(): Omit<TemplateRecord, 'id' | 'name' | 'image' | 'createdAt' | 'publisher'> {
  const { image: _image, ...container } = newContainer();
  return {
    ...container,
    mounts: {},
    serverless: false,
    public: false,
    category: 'NVIDIA',
    startSsh: true,
    startJupyter: true,
    allowedCudaVersions: [],
  };
}

function seedTemplates(): TemplateRecord[] {
  const template = (id: string, name: string, image: string, rest: Partial<TemplateRecord>): TemplateRecord => ({
    id,
    name,
    image,
    ...newTemplate(),
    startJupyter: false,
    ...rest,
  });
  const published = { public: true, publisher: 'official' } as const;
  return [
    template('tpl-train', 'team training', 'registry.example/team/train:2.1', {
      args: 'python train.py',
      disk: 50,
      ports: ['22/tcp', '6006/http'],
      env: { EPOCHS: '3', DATA: '/workspace/data' },
      registry: 'reg-team',
      mounts: { persistent: { size: 100, path: '/workspace' } },
      allowedCudaVersions: ['12.4', '12.8'],
    }),
    template('tpl-worker', 'team worker', 'registry.example/team/worker:7', {
      env: { MODEL: 'small' },
      serverless: true,
      startSsh: false,
    }),
    template('tpl-pytorch', 'PyTorch 2.8, CUDA 12.8', 'example/pytorch:2.8-cuda12.8', {
      ...published,
      disk: 40,
      ports: ['8888/http', '22/tcp'],
      startJupyter: true,
      allowedCudaVersions: ['12.8', '12.9', '12.11'],
    }),
    template('tpl-ubuntu', 'Ubuntu 24.04', 'example/ubuntu:24.04', {
      ...published,
      disk: 10,
      ports: ['22/tcp'],
      category: 'CPU',
    }),
    template('tpl-echo', 'Echo worker', 'example/echo:1.0', {
      ...published,
      disk: 5,
      serverless: true,
      startSsh: false,
    }),
    template('tpl-amd', 'PyTorch 2.8 for AMD', 'example/pytorch:2.8-amd', {
      ...published,
      publisher: 'verified',
      disk: 40,
      ports: ['8888/http', '22/tcp'],
      category: 'AMD',
    }),
    template('tpl-diffusion', 'Pictures from words', 'example/diffusion-ui:0.9', {
      ...published,
      publisher: 'community',
      ports: ['3000/http'],
      mounts: { persistent: { size: 30, path: '/models' } },
    }),
  ];
}

export const templates = createRecordTable<TemplateRecord>('templates', seedTemplates);
