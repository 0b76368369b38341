import {
  compareVersions,
  cudaConstraint,
  DATA_CENTERS,
  dataCenterById,
  type DataCenterData,
  type GpuData,
  meetsCudaConstraint,
} from '../../model/hardware.ts';
import { badRequest, NO_ROOM } from '../../contract/problem.ts';
import { cpusOf, gpusOf } from '../../model/stock.ts';
import type { State } from '../../state/state.ts';
import type { PodRecord } from '../../model/pods.ts';

/** The hardware of a new pod: exactly one of `gpu` and `cpu` is required. */
export interface HardwareBody {
  readonly gpu?: {
    readonly id: string;
    readonly count?: number;
    readonly allowedCudaVersions?: readonly string[];
    readonly minCudaVersion?: string;
    /** GB and vCPUs for each GPU: filters of the machine. */
    readonly minRamPerGpu?: number;
    readonly minVcpuCountPerGpu?: number;
  };
  readonly cpu?: { readonly id: string; readonly vcpuCount: number };
}

export interface PlacementRequest extends HardwareBody {
  readonly cloud: 'SECURE' | 'COMMUNITY';
  /** All when empty. */
  readonly dataCenterIds: readonly string[];
  readonly volumeDataCenter: string | undefined;
  readonly globalNetworking: boolean;
  readonly copies: number;
}

export type Placement = Pick<PodRecord, 'gpu' | 'cpu' | 'dataCenterId' | 'cudaVersion' | 'price'>;

/** Throws the 400 Problem when there is none (contract rules, Pods). */
export function findPlacement(state: State, request: PlacementRequest): Placement {
  if ((request.gpu === undefined) === (request.cpu === undefined))
    throw badRequest('exactly one of gpu and cpu is required');
  return request.gpu === undefined ? placeCpu(state, request) : placeGpu(state, request, request.gpu);
}

function placeGpu(state: State, request: PlacementRequest, gpuRequest: NonNullable<HardwareBody['gpu']>): Placement {
  const { id, count = 1, allowedCudaVersions = [], minCudaVersion } = gpuRequest;
  const gpu = gpusOf(state).find((known) => known.id === id);
  if (gpu === undefined) throw badRequest(`unknown GPU type ${id}`);
  if (allowedCudaVersions.length > 0 && minCudaVersion !== undefined)
    throw badRequest('gpu.allowedCudaVersions and gpu.minCudaVersion exclude each other');
  const cloud = request.cloud === 'SECURE' ? 'secure' : 'community';
  if (count > gpu.maxCount[cloud])
    throw badRequest(`at most ${String(gpu.maxCount[cloud])} of ${id} are offered on the ${request.cloud} cloud`);
  if (request.globalNetworking && gpu.manufacturer !== 'NVIDIA')
    throw badRequest('global networking needs an NVIDIA GPU');
  const { vcpuPerGpu, ramGbPerGpu } = gpu.machine;
  if (ramGbPerGpu < (gpuRequest.minRamPerGpu ?? 0) || vcpuPerGpu < (gpuRequest.minVcpuCountPerGpu ?? 0))
    throw badRequest(
      `${NO_ROOM.tooSmall}: ${id} has ${String(ramGbPerGpu)} GB and ${String(vcpuPerGpu)} vCPUs for each GPU`,
    );
  return {
    gpu: { id, count },
    dataCenterId: chooseDataCenter(request, gpu.stock, count * request.copies),
    cudaVersion: cudaVersion(gpu, allowedCudaVersions, minCudaVersion),
    price: roundPrice(gpu.price[cloud] * count),
  };
}

function placeCpu(state: State, request: PlacementRequest): Placement {
  const { id = '', vcpuCount = 0 } = request.cpu ?? {};
  const cpu = cpusOf(state).find((known) => known.id === id);
  if (cpu === undefined) throw badRequest(`unknown CPU flavor ${id}`);
  if (!isPowerOfTwo(vcpuCount)) throw badRequest('cpu.vcpuCount must be a power of two');
  if (vcpuCount < cpu.vcpu.min || vcpuCount > cpu.vcpu.max)
    throw badRequest(`${id} has ${String(cpu.vcpu.min)} to ${String(cpu.vcpu.max)} vCPUs`);
  if (request.cloud !== 'SECURE') throw badRequest('CPU pods are available only on the SECURE cloud');
  if (request.globalNetworking) throw badRequest('global networking needs an NVIDIA GPU');
  return {
    cpu: { id, vcpuCount, memory: vcpuCount * cpu.ramGbPerVcpu },
    dataCenterId: chooseDataCenter(request, cpu.stock, vcpuCount * request.copies),
    cudaVersion: null,
    price: roundPrice(cpu.price.securePerVcpu * vcpuCount),
  };
}

function chooseDataCenter(request: PlacementRequest, stock: Readonly<Record<string, number>>, need: number): string {
  const unknown = request.dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  const fits = ({ id, globalNetwork }: DataCenterData): boolean =>
    (request.dataCenterIds.length === 0 || request.dataCenterIds.includes(id)) &&
    (request.volumeDataCenter === undefined || request.volumeDataCenter === id) &&
    (!request.globalNetworking || globalNetwork) &&
    (stock[id] ?? 0) >= need;
  const found = DATA_CENTERS.find(fits);
  if (found === undefined) {
    const conditions = [
      request.dataCenterIds.length > 0 ? `in ${request.dataCenterIds.join(', ')}` : undefined,
      request.volumeDataCenter === undefined ? undefined : `where the network volume is (${request.volumeDataCenter})`,
      request.globalNetworking ? 'with global networking' : undefined,
    ].filter((condition) => condition !== undefined);
    const what = request.copies === 1 ? 'the pod' : `a group of ${String(request.copies)} pods`;
    throw badRequest(
      `${noRoomText(stock, conditions.length > 0)}: ${[`${what} cannot be placed`, ...conditions].join(' ')}`,
    );
  }
  return found.id;
}

function noRoomText(stock: Readonly<Record<string, number>>, isLimited: boolean): string {
  if (isLimited) return NO_ROOM.nowhere;
  return Object.values(stock).some((free) => free > 0) ? NO_ROOM.tooLittle : NO_ROOM.none;
}

function cudaVersion(gpu: GpuData, allowed: readonly string[], minimum: string | undefined): string | null {
  const constraint = cudaConstraint(allowed, minimum);
  const best = gpu.cudaVersions
    .filter((version) => meetsCudaConstraint(version, constraint))
    .sort(compareVersions)
    .at(-1);
  if (best === undefined && (allowed.length > 0 || minimum !== undefined))
    throw badRequest(`no machine with ${gpu.id} has such a CUDA version`);
  return best ?? null;
}

const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));

/** Rounds to a hundredth of a cent, so that no floating-point errors are shown. */
const roundPrice = (dollars: number): number => Math.round(dollars * 10_000) / 10_000;
