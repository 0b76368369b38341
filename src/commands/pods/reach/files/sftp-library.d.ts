/** The client of SFTP in the SSH library, which says nothing of it in its types. */
declare module 'ssh2/lib/protocol/SFTP.js' {
  import type { SFTPWrapper } from 'ssh2';

  /** What the client writes to: a channel of SSH, or what stands for one. */
  interface Connection {
    readonly _protocol: {
      channelData(channel: number, bytes: Buffer): void;
      channelClose(channel: number): void;
    };
  }

  interface End {
    readonly id: number;
    /** Bytes that may still be written. */
    window: number;
    readonly packetSize: number;
    state: 'open' | 'eof' | 'closing' | 'closed';
  }

  interface SftpClient extends SFTPWrapper {
    readonly _extensions: Readonly<Record<string, string>>;
    /** Sends the first message. */
    _init(): void;
    /** Takes bytes of the other side; null at their end, when what is not answered fails. */
    push(bytes: Buffer | null): void;
  }

  const library: {
    readonly SFTP: new (
      connection: Connection,
      channel: { readonly type: string; readonly incoming: End; readonly outgoing: End },
      settings: object,
    ) => SftpClient;
  };
  export type { SftpClient };
  export default library;
}
