import {
  compareVersions,
  cudaConstraint,
  DATA_CENTERS,
  dataCenterById,
  flavorFor,
  meetsCudaConstraint,
} from '../../model/hardware.ts';
import { badRequest, NO_ROOM } from '../../contract/problem.ts';
import { cpusOf, gpusOf } from '../../model/stock.ts';
import type { State } from '../../state/state.ts';
import type { PodRecord } from '../../model/pods.ts';

interface GpuBody {
  readonly id: string;
  readonly count?: number;
  readonly allowedCudaVersions?: readonly string[];
  readonly minCudaVersion?: string;
  /** GB and vCPUs for each GPU: filters of the machine. */
  readonly minRamPerGpu?: number;
  readonly minVcpuCountPerGpu?: number;
}

/** The hardware of a new pod. */
export interface HardwareBody {
  readonly gpu?: GpuBody;
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
  const { gpu, cpu } = request;
  if (gpu !== undefined && cpu === undefined) return placeGpu(state, request, gpu);
  if (cpu !== undefined && gpu === undefined) return placeCpu(state, request, cpu);
  throw badRequest('exactly one of gpu and cpu is required');
}

function placeGpu(state: State, request: PlacementRequest, wanted: GpuBody): Placement {
  const { id, count = 1, allowedCudaVersions = [], minCudaVersion, minRamPerGpu = 0, minVcpuCountPerGpu = 0 } = wanted;
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
  if (ramGbPerGpu < minRamPerGpu || vcpuPerGpu < minVcpuCountPerGpu)
    throw badRequest(
      `${NO_ROOM.tooSmall}: ${id} has ${String(ramGbPerGpu)} GB and ${String(vcpuPerGpu)} vCPUs for each GPU`,
    );
  const constraint = cudaConstraint(allowedCudaVersions, minCudaVersion);
  const versions = gpu.cudaVersions.filter((version) => meetsCudaConstraint(version, constraint)).sort(compareVersions);
  if (versions.length === 0 && (allowedCudaVersions.length > 0 || minCudaVersion !== undefined))
    throw badRequest(`no machine with ${id} has such a CUDA version`);
  return {
    gpu: { id, count },
    dataCenterId: chooseDataCenter(request, gpu.stock, count * request.copies),
    cudaVersion: versions.at(-1) ?? null,
    price: roundPrice(gpu.price[cloud] * count),
  };
}

function placeCpu(state: State, request: PlacementRequest, { id, vcpuCount }: NonNullable<HardwareBody['cpu']>) {
  const cpu = flavorFor(cpusOf(state), id, vcpuCount);
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
  const { dataCenterIds, volumeDataCenter, globalNetworking, copies } = request;
  const unknown = dataCenterIds.find((id) => dataCenterById(id) === undefined);
  if (unknown !== undefined) throw badRequest(`unknown data center ${unknown}`);
  const found = DATA_CENTERS.find(
    ({ id, globalNetwork }) =>
      (dataCenterIds.length === 0 || dataCenterIds.includes(id)) &&
      (volumeDataCenter === undefined || volumeDataCenter === id) &&
      (!globalNetworking || globalNetwork) &&
      (stock[id] ?? 0) >= need,
  );
  if (found !== undefined) return found.id;
  const conditions = [
    ...(dataCenterIds.length > 0 ? [`in ${dataCenterIds.join(', ')}`] : []),
    ...(volumeDataCenter === undefined ? [] : [`where the network volume is (${volumeDataCenter})`]),
    ...(globalNetworking ? ['with global networking'] : []),
  ];
  const isSomeFree = Object.values(stock).some((free) => free > 0);
  const why = conditions.length > 0 ? NO_ROOM.nowhere : isSomeFree ? NO_ROOM.tooLittle : NO_ROOM.none;
  const what = copies === 1 ? 'the pod' : `a group of ${String(copies)} pods`;
  throw badRequest(`${why}: ${[`${what} cannot be placed`, ...conditions].join(' ')}`);
}

/** Rounds to a hundredth of a cent, so that no floating-point errors are shown. */
const roundPrice = (dollars: number): number => Math.round(dollars * 10_000) / 10_000;
