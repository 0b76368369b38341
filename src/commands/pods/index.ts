import { noun } from '../../cli/resource/noun.ts';

export const pods = noun('GPU and CPU containers', {
  list: async () => (await import('./list.ts')).list,
  get: async () => (await import('./get.ts')).get,
  create: async () => (await import('./create.ts')).create,
  update: async () => (await import('./create.ts')).update,
  delete: async () => (await import('./actions.ts')).terminate,
  terminate: async () => (await import('./actions.ts')).terminate,
  start: async () => (await import('./actions.ts')).start,
  stop: async () => (await import('./actions.ts')).stop,
  restart: async () => (await import('./actions.ts')).restart,
  wait: async () => (await import('./wait.ts')).wait,
  logs: async () => (await import('./logs.ts')).logs,
  explain: async () => (await import('./explain.ts')).explain,
  ssh: async () => (await import('./ssh.ts')).ssh,
  exec: async () => (await import('./exec.ts')).exec,
  cp: async () => (await import('./cp.ts')).cp,
  forward: async () => (await import('./forward.ts')).forward,
  connect: async () => (await import('./ssh-config.ts')).connect,
  'ssh-config': async () => (await import('./ssh-config.ts')).sshConfig,
});
