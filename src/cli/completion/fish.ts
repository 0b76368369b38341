import type { CompletionFlag, CompletionNode } from './tree.ts';

/** A fish completion script. */
export function fishScript(nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter((node) => node.path !== '').map((node) => quote(node.path));
  return `# fish completion for berth. Made by \`berth completion fish\`.
function __berth_path
    set -l known ${paths.join(' ')}
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        if contains -- $next $known
            set at $next
        end
    end
    echo $at
end
function __berth_at
    test (__berth_path) = "$argv[1]"
end
complete -c berth -f
${nodes.flatMap(nodeLines).join('\n')}
`;
}

function nodeLines(node: CompletionNode): string[] {
  const here = `complete -c berth -n ${quote(`__berth_at ${quote(node.path)}`)}`;
  const flag = (each: CompletionFlag): string =>
    `${here} -l ${each.flag.slice(2)}${each.short === undefined ? '' : ` -s ${each.short.slice(1)}`}${each.takesValue ? (each.choices.length > 0 ? ` -x -a ${quote(each.choices.join(' '))}` : ' -r') : ''} -d ${quote(each.summary)}`;
  return [
    ...node.words.map((each) => `${here} -a ${quote(each.word)} -d ${quote(each.summary)}`),
    ...node.flags.map(flag),
  ];
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
