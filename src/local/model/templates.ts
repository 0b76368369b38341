import type { EpochMs } from '../../core/unit-types.ts';
import { type ContainerRecord, newContainer } from './container.ts';
import type { MountsRecord } from './pods.ts';
import { createRecordTable } from '../state/state.ts';

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
