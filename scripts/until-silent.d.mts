export declare function untilSilent(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly silenceMs: number },
): Promise<{ readonly code: number | null; readonly output: string }>;
