type Variables = Readonly<Record<string, string | undefined>>;

export declare const HOSTILE_UMASK: number;
export declare function hostileEnvironment(caller: Variables, folder: string): Variables;
