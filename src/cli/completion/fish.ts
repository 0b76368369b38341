import type { CompletionFlag, CompletionNode, CompletionTree } from './tree.ts';

/** A fish completion script. */
export function fishScript({ nodes, globals }: CompletionTree): string {
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
${globals.map((each) => flagLine('complete -c berth', each)).join('\n')}
${nodes.flatMap(nodeLines).join('\n')}
`;
}

function nodeLines(node: CompletionNode): string[] {
  const here = `complete -c berth -n ${quote(`__berth_at ${quote(node.path)}`)}`;
  return [
    ...node.words.map(({ word, summary }) => `${here} -a ${quote(word)} -d ${quote(summary)}`),
    ...node.flags.map((each) => flagLine(here, each)),
  ];
}

function flagLine(start: string, { flag, short, summary, takesValue, choices }: CompletionFlag): string {
  const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r';
  return `${start} -l ${flag.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}${takesValue ? value : ''} -d ${quote(summary)}`;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
