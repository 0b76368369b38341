/**
 * Writes the completion scripts that the built program prints to completions/ (`npm run completions`). With --check it only
 * compares them, and exits with 1 when they differ.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.mjs';

const SHELLS = { bash: 'berth.bash', zsh: 'berth.zsh', fish: 'berth.fish', powershell: 'berth.ps1' };

function generate(shell) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/berth', 'completion', shell], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0 || stdout === '') throw new Error(`berth completion ${shell} ended ${status}: ${stderr.trim()}`);
  return stdout;
}

const check = process.argv.includes('--check');
mkdirSync(path.join(root, 'completions'), { recursive: true });
for (const [shell, name] of Object.entries(SHELLS)) {
  const file = path.join(root, 'completions', name);
  const text = generate(shell);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (check) {
    console.log(`completions/${name} is out of date: run "npm run completions"`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`completions/${name}`);
  }
}
