/** Rules for single values of containers and of their hardware, told by the flag that sets the value. */
import { usage } from '../../../core/failure.ts';
import { arrayOf, numberOf, objectOf, stringOf, type Json } from '../../../core/json.ts';

/** A rule for whole numbers of at least `least`; a value that is no number is for the service to refuse. */
export const atLeast =
  (flag: string, least: number, unit = '') =>
  (given: Json | undefined): void => {
    const value = numberOf(given);
    if (value !== undefined && !(value >= least && Number.isInteger(value)))
      throw usage(`${flag} is a whole number of at least ${least}${unit}; ${value} is not`);
  };

/** The rule for vCPUs (specification 8.3; contract rules, Pods). */
export function vcpuCount(given: Json | undefined): void {
  const count = numberOf(given);
  if (count !== undefined && !(count >= 2 && Number.isInteger(Math.log2(count))))
    throw usage(`--vcpu is a power of two, at least 2; ${count} is not`);
}

/** The highest port number of TCP and UDP. */
const MAX_PORT = 65_535;

/** The rule for published ports: `8080/http` (contract, ports: port/protocol). The protocols are for the service to refuse. */
export function ports(given: Json): void {
  for (const each of arrayOf(given) ?? []) {
    const text = stringOf(each);
    const number = Number(/^(\d+)\/[a-z]+$/i.exec(text ?? '')?.[1] ?? 0);
    if (text !== undefined && (number < 1 || number > MAX_PORT))
      throw usage(
        `--port ${JSON.stringify(text)} is no port and protocol`,
        `A port of 1 to ${MAX_PORT}, a slash and a protocol: --port 8080/http`,
      );
  }
}

/** The rule for images: a copied address or line end makes a name that no registry has. */
export function imageName(given: Json): void {
  const text = stringOf(given) ?? '';
  if (/[\s\p{Cc}]|^[a-z]+:\/\//iu.test(text))
    throw usage(
      `--image ${JSON.stringify(text)} is not the name of an image`,
      'Write REGISTRY/NAME:TAG, without https://.',
    );
}

/** The rule for variables: programs cannot read one with such a name. */
export function variableNames(given: Json): void {
  const wrong = Object.keys(objectOf(given) ?? {}).find((name) => !/^[^\s\p{Cc}=]+$/u.test(name));
  if (wrong !== undefined)
    throw usage(
      `--env ${JSON.stringify(wrong)} cannot be the name of a variable`,
      'A name has no white space and no "=".',
    );
}

/** The rule for CUDA versions, one or several (contract, minCudaVersion); an empty text removes one. */
export const cudaVersions =
  (flag: string) =>
  (given: Json): void => {
    for (const each of arrayOf(given) ?? [given]) {
      const text = stringOf(each);
      if (text !== undefined && text !== '' && !/^\d+\.\d+$/.test(text))
        throw usage(`${flag} ${JSON.stringify(text)} is no CUDA version`, `Two numbers: ${flag} 12.8`);
    }
  };
