import { closed, list, object, oneOfWords, ref, text, whole, type Schemas } from './schema.ts';

/** The published schemas of network volumes, names as on the wire. */
export const volumesSchemas: Schemas = {
  NetworkVolume: object(['id', 'name', 'size', 'dataCenter', 'type'], {
    id: text,
    name: text,
    size: { ...whole, minimum: 10, maximum: 4096 },
    dataCenter: text,
    type: { allOf: [ref('VolumeType')] },
  }),
  CreateNetworkVolumeRequest: closed(['name', 'size', 'dataCenter'], {
    dataCenter: { ...text, minLength: 1 },
    name: { ...text, minLength: 1 },
    size: { ...whole, minimum: 10, maximum: 4096 },
    type: { allOf: [ref('VolumeType')] },
  }),
  UpdateNetworkVolumeRequest: closed(
    [],
    { name: { ...text, minLength: 1 }, size: { ...whole, minimum: 10, maximum: 4096 } },
    { minProperties: 1 },
  ),
  ListNetworkVolumesResponse: object(['networkVolumes'], { networkVolumes: list(ref('NetworkVolume')) }),
  VolumeType: oneOfWords('STANDARD', 'HIGH_PERFORMANCE'),
};
