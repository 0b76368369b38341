import {
  cpuById,
  DATA_CENTERS,
  dataCenterById,
  gpuById,
  type DataCenterData,
  type GpuData,
} from '../../model/catalog/hardware.ts';
import { suits } from '../catalog/availability.ts';
import { badRequest } from '../../contract/problem.ts';
import { compareVersions } from '../../frame/query.ts';
import type { PodRecord } from '../../model/pods/record.ts';

/** The hardware a new pod asks for: exactly one of `gpu` and `cpu` is there. */
export interface HardwareBody {
  readonly gpu?: {
    readonly id: string;
    readonly count?: number;
    readonly allowedCudaVersions?: readonly string[];
    readonly minCudaVersion?: string;
  };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
}

export interface PlacementWish extends HardwareBody {
  readonly cloud: 'SECURE' | 'COMMUNITY';
  /** Any of these; all where empty. */
  readonly dataCenterIds: readonly string[];
  /** The data center of the volume to mount, where there is one. */
  readonly volumeDataCenter: string | undefined;
  readonly globalNetworking: boolean;
  /** How many of it have to find room in one data center. */
  readonly copies: number;
}

export type Placement = Pick<PodRecord, 'gpu' | 'cpu' | 'dataCenterId' | 'cudaVersion' | 'price'>;

/** Finds hardware and a place for a new pod. Throws the 400 Problem where there is none (contract rules, Pods). */
export function place(wish: PlacementWish): Placement {
  if ((wish.gpu === undefined) === (wish.cpu === undefined)) throw badRequest('exactly one of gpu and cpu is required');
  return wish.gpu === undefined ? placeCpu(wish) : placeGpu(wish, wish.gpu);
}

function placeGpu(wish: PlacementWish, asked: NonNullable<HardwareBody['gpu']>): Placement {
  const { id, count = 1, allowedCudaVersions = [], minCudaVersion } = asked;
  const gpu = gpuById(id);
  if (gpu === undefined) throw badRequest(`unknown GPU type ${id}`);
  if (allowedCudaVersions.length > 0 && minCudaVersion !== undefined)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const cloud = wish.cloud === 'SECURE' ? 'secure' : 'community';
  if (count > gpu.maxCount[cloud])
    throw badRequest(`at most ${String(gpu.maxCount[cloud])} of ${id} are offered on the ${wish.cloud} cloud`);
  if (wish.globalNetworking && gpu.manufacturer !== 'NVIDIA') throw badRequest('global networking needs an NVIDIA GPU');
  return {
    gpu: { id, count },
    dataCenterId: choose(wish, gpu.stock, count * wish.copies),
    cudaVersion: cudaVersion(gpu, allowedCudaVersions, minCudaVersion),
    price: cents(gpu.price[cloud] * count),
  };
}

function placeCpu(wish: PlacementWish): Placement {
  const { id = '', vcpuCount = 0 } = wish.cpu ?? {};
  const cpu = cpuById(id);
  if (cpu === undefined) throw badRequest(`unknown CPU flavor ${id}`);
  if (!isPowerOfTwo(vcpuCount)) throw badRequest('cpu.vcpuCount must be a power of two');
  if (vcpuCount < cpu.vcpu.min || vcpuCount > cpu.vcpu.max)
    throw badRequest(`${id} has ${String(cpu.vcpu.min)} to ${String(cpu.vcpu.max)} vCPUs`);
  if (wish.cloud !== 'SECURE') throw badRequest('CPU pods are available only on the SECURE cloud');
  if (wish.globalNetworking) throw badRequest('global networking needs an NVIDIA GPU');
  return {
    cpu: { id, vcpuCount, memory: vcpuCount * cpu.ramGbPerVcpu },
    dataCenterId: choose(wish, cpu.stock, vcpuCount * wish.copies),
    cudaVersion: null,
    price: cents(cpu.price.securePerVcpu * vcpuCount),
  };
}

function choose(wish: PlacementWish, stock: Readonly<Record<string, number>>, need: number): string {
  const unknown = wish.dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  const fits = ({ id, globalNetwork }: DataCenterData): boolean =>
    (wish.dataCenterIds.length === 0 || wish.dataCenterIds.includes(id)) &&
    (wish.volumeDataCenter === undefined || wish.volumeDataCenter === id) &&
    (!wish.globalNetworking || globalNetwork) &&
    (stock[id] ?? 0) >= need;
  const found = DATA_CENTERS.find(fits);
  if (found === undefined) {
    const conditions = [
      wish.dataCenterIds.length > 0 ? `in ${wish.dataCenterIds.join(', ')}` : undefined,
      wish.volumeDataCenter === undefined ? undefined : `where the network volume is (${wish.volumeDataCenter})`,
      wish.globalNetworking ? 'with global networking' : undefined,
    ].filter((condition) => condition !== undefined);
    const what = wish.copies === 1 ? 'the pod' : `a group of ${String(wish.copies)} pods`;
    throw badRequest([`${what} cannot be placed`, ...conditions].join(' '));
  }
  return found.id;
}

function cudaVersion(gpu: GpuData, allowed: readonly string[], minimum: string | undefined): string | null {
  const wish = { cudaVersions: allowed.length > 0 ? allowed : undefined, minCudaVersion: minimum };
  const best = gpu.cudaVersions
    .filter((version) => suits(version, wish))
    .sort(compareVersions)
    .at(-1);
  if (best === undefined && (allowed.length > 0 || minimum !== undefined))
    throw badRequest(`no machine with ${gpu.id} has such a CUDA version`);
  return best ?? null;
}

const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));

/** Prices are kept to a hundredth of a cent, so that sums of floats do not show. */
const cents = (dollars: number): number => Math.round(dollars * 10_000) / 10_000;
