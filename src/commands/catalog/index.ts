import { usage } from '../../core/failure.ts';
import { defineGroup } from '../../cli/command.ts';
import { option } from '../../cli/parse/params.ts';
import * as collections from '../shared/collections.ts';
import { templateView } from '../templates/fields.ts';
import { availabilityQuery, catalogCommand, joined } from './command.ts';
import {
  availableCpuView,
  availableDataCenterView,
  availableGpuView,
  cpuView,
  dataCenterView,
  gpuView,
} from './fields.ts';

const available = option.on('ask what can be had now, and where');

const gpus = catalogCommand(
  { ...collections.GPUS, view: gpuView },
  {
    summary: 'list GPU types with their prices, or show one',
    view: ({ available: asked }) => (asked ? availableGpuView : gpuView),
    options: {
      available,
      product: option.list('for these products (default POD)', { choices: ['POD', 'CLUSTER', 'SERVERLESS'] }),
      count: option.count('GPUs in one pod', 1),
      cloud: option.choice('only this cloud', ['SECURE', 'COMMUNITY']),
      country: option.list('only in these countries, by two-letter code'),
      cuda: option.list('with one of these CUDA versions'),
      minCuda: option.text('with this CUDA version or a newer one', { metavar: 'VERSION' }),
    },
    query: (values) => {
      if (values.cuda.length > 0 && values.minCuda !== undefined)
        throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
      return availabilityQuery(values, {
        count: values.count,
        cloud: values.cloud,
        countryCodes: joined(values.country.map((code) => code.toUpperCase())),
        cudaVersions: joined(values.cuda),
        minCudaVersion: values.minCuda,
      });
    },
    examples: [['berth catalog gpus --available --count 4', 'where four in one pod can be had now']],
  },
);

const cpus = catalogCommand(
  { ...collections.CPUS, view: cpuView },
  {
    summary: 'list CPU flavors with their prices, or show one',
    examples: [
      ['berth catalog cpus', 'with the price of a vCPU'],
      ['berth catalog cpus cpu-general', 'one of them'],
    ],
    view: ({ available: asked }) => (asked ? availableCpuView : cpuView),
    options: {
      available,
      product: option.list('for these products (default POD)', { choices: ['POD', 'SERVERLESS'] }),
      vcpu: option.count('vCPUs in one pod', 2),
    },
    query: (values) => availabilityQuery(values, { vcpuCount: values.vcpu }),
  },
);

const datacenters = catalogCommand(
  { ...collections.DATA_CENTERS, view: dataCenterView },
  {
    summary: 'list data centers, or show one',
    options: {
      available: option.on('ask which GPUs and CPUs can be had there now'),
      region: option.list('only in these regions, such as EUROPE', { metavar: 'REGION' }),
      volumeType: option.list('only with one of these tiers of network volume', {
        choices: ['STANDARD', 'HIGH_PERFORMANCE'],
      }),
      compliance: option.list('only with one of these attestations, such as GDPR', { metavar: 'WORD' }),
      globalNetwork: option.on('only with global networking'),
    },
    view: ({ available: asked }) => (asked ? availableDataCenterView : dataCenterView),
    listOnly: ['region', 'volumeType', 'compliance', 'globalNetwork'],
    query: (values) => ({
      include: values.available ? 'GPU_AVAILABILITY,CPU_AVAILABILITY' : undefined,
      regions: joined(values.region.map((region) => region.toUpperCase())),
      networkVolumeTypes: joined(values.volumeType),
      compliance: joined(values.compliance.map((word) => word.toUpperCase())),
      globalNetwork: values.globalNetwork ? true : undefined,
    }),
    examples: [['berth catalog datacenters --region EUROPE --compliance GDPR -o wide', 'where, with all they attest']],
  },
);

const templates = catalogCommand(
  {
    noun: 'template',
    path: ['v2', 'catalog', 'templates'],
    member: 'templates',
    listed: 'catalog templates',
    view: templateView,
  },
  {
    summary: 'list public templates, or show one',
    options: { source: option.choice('whose (default official)', ['official', 'verified', 'community']) },
    listOnly: ['source'],
    // The catalog has no path for one template; a public one can be read by anyone (contract rules, Templates).
    onePath: ['v2', 'templates'],
    query: ({ source }) => ({ source }),
    examples: [['berth catalog templates --source community', 'those that other accounts have published']],
  },
);

export const catalog = defineGroup('what can be rented: GPUs, CPUs, data centers; and public templates', {
  gpus,
  cpus,
  datacenters,
  templates,
});
