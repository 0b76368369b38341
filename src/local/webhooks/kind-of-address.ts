import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Addresses outside the public internet, multicast included (IANA special-purpose registries). */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** All but 2000::/3, the public internet, and the special-purpose networks in it. */
const PRIVATE_IPV6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '3fff::/20'];

/** IPv6 prefixes that contain an IPv4 address, and the number of 16-bit groups before it. */
const EMBEDDED: readonly (readonly [string, number])[] = [
  ['::/96', 6],
  ['::ffff:0:0/96', 6],
  ['64:ff9b::/96', 6],
  ['2002::/16', 1],
];

const listOf = (subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits = ''] = subnet.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
};

/**
 * Classifies an IP address: `own` for an address of this machine, `private` for any other outside the public internet. An
 * IPv4 address inside an IPv6 address is classified as the IPv4 address.
 */
export function kindOfAddress(address: string): 'own' | 'private' | 'public' {
  const plain = address.replace(/%.*$/, '');
  const inner = isIPv6(plain) ? embeddedIPv4(plain) : undefined;
  if (inner !== undefined && plain !== '::' && plain !== '::1') return kindOfAddress(inner);
  if (isIPv4(plain)) {
    if (/^(?:127|0)\./.test(plain) || isOfInterface(plain, 'ipv4')) return 'own';
    return listOf(PRIVATE_IPV4, 'ipv4').check(plain) ? 'private' : 'public';
  }
  if (!isIPv6(plain)) return 'private';
  if (listOf(['::/127'], 'ipv6').check(plain, 'ipv6') || isOfInterface(plain, 'ipv6')) return 'own';
  return listOf(PRIVATE_IPV6, 'ipv6').check(plain, 'ipv6') ? 'private' : 'public';
}

function isOfInterface(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList();
  for (const entry of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    if (entry.family.toLowerCase() === family) own.addAddress(entry.address.replace(/%.*$/, ''), family);
  return own.check(address, family);
}

function embeddedIPv4(address: string): string | undefined {
  const found = EMBEDDED.find(([subnet]) => listOf([subnet], 'ipv6').check(address, 'ipv6'));
  if (found === undefined) return undefined;
  const groups = groupsOf(address).slice(found[1], found[1] + 2);
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** The eight groups of an IPv6 address. The URL parser normalizes it: `::ffff:127.0.0.1` becomes `::ffff:7f00:1`. */
function groupsOf(address: string): readonly number[] {
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  const after = read(tail ?? '');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
