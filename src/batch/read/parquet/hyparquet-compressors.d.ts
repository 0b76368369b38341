// Types of the part of hyparquet-compressors that is imported by deep path: its entrance loads a dictionary for Brotli too.
declare module 'hyparquet-compressors/src/lz4.js' {
  export function decompressLz4(bytes: Uint8Array, size: number): Uint8Array;
  export function decompressLz4Raw(bytes: Uint8Array, size: number): Uint8Array;
}
