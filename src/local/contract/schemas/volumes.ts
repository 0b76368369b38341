import { closed, filledText, list, object, oneOfWords, ref, text, whole, type Schema, type Schemas } from './schema.ts';

/** GB (specification 2.4). */
export const volumeSize: Schema = { ...whole, minimum: 10, maximum: 4096 };

export const volumesSchemas: Schemas = {
  NetworkVolume: object({
    id: text,
    name: text,
    size: volumeSize,
    dataCenter: text,
    type: { allOf: [ref('VolumeType')] },
  }),
  CreateNetworkVolumeRequest: closed(
    {},
    {
      dataCenter: filledText,
      name: filledText,
      size: volumeSize,
      type: { allOf: [ref('VolumeType')] },
    },
    { required: ['name', 'size', 'dataCenter'] },
  ),
  UpdateNetworkVolumeRequest: closed({}, { name: filledText, size: volumeSize }, { minProperties: 1 }),
  ListNetworkVolumesResponse: object({ networkVolumes: list(ref('NetworkVolume')) }),
  VolumeType: oneOfWords('STANDARD', 'HIGH_PERFORMANCE'),
};
