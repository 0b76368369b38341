/** The completion script for PowerShell, for sourcing from a profile. */
export const POWERSHELL_SCRIPT = `# PowerShell completion for berth. Made by \`berth completion powershell\`.
Register-ArgumentCompleter -Native -CommandName berth -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object {
      $_.Extent.EndOffset -lt $cursorPosition
    } | ForEach-Object {
      if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() }
    })
  $current = $wordToComplete.Trim([char[]]@("'", '"'))
  # The mark keeps an empty last word, which older versions drop.
  $lines = @(& (Get-Command berth -CommandType Application, ExternalScript -TotalCount 1) __complete powershell @words "=$current" 2>$null)
  if ($lines.Count -eq 0) { return '' }
  # Without results, PowerShell completes files.
  if ($lines[0] -notmatch '^(words|paths)') { return }
  $found = @($lines | Select-Object -Skip 1 | Where-Object { $_ } | ForEach-Object {
      $value, $description = $_ -split "\`t", 2
      if (-not $value.StartsWith($current, [System.StringComparison]::OrdinalIgnoreCase)) { return }
      $text = $value
      if ($text -match '[^\\w.:/=+-]') {
        $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
      }
      if (-not $description) { $description = $value }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    })
  if ($found.Count -eq 0) { return '' }
  $found
}
`;
