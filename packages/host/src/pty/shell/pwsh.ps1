# Reports prompts, command lines and exit codes to the terminal that started this PowerShell, which runs it when the user's
# profiles have been read. A line stands before these: `__AhMark`, the beginning of every mark with the nonce in it.
Set-Content -LiteralPath $PSCommandPath -Value '' -NoNewline

$Global:__AhEnd = "$([char]27)\"
$Global:__AhRan = $false
$Global:__AhPrompt = $function:prompt

# Every byte as `\xHH` that is not printable ASCII, or is `;` or `\`. Of more than 48 KiB only the beginning: a mark that has 256 KiB
# would not be taken out of the output.
function Global:__AhEncode([string] $Text) {
  $out = [System.Text.StringBuilder]::new()
  $bytes = [System.Text.Encoding]::UTF8.GetBytes($Text)
  if ($bytes.Length -gt 49152) { $bytes = [System.Text.Encoding]::UTF8.GetBytes($Text.Substring(0, 12288)) }
  foreach ($byte in $bytes) {
    if ($byte -lt 0x20 -or $byte -gt 0x7e -or $byte -eq 0x3b -or $byte -eq 0x5c) {
      [void] $out.AppendFormat('\x{0:x2}', $byte)
    } else {
      [void] $out.Append([char] $byte)
    }
  }
  $out.ToString()
}

function Global:prompt {
  $succeeded = $Global:?
  $exitCode = $Global:LASTEXITCODE
  $before = ''
  if ($Global:__AhRan) {
    # A cmdlet that fails sets no exit code; an old one of a program must not pass for it.
    $code = if ($succeeded) { 0 } elseif ($exitCode) { $exitCode } else { 1 }
    $before = "$($Global:__AhMark)D;$code$($Global:__AhEnd)"
    $Global:__AhRan = $false
  }
  if ($PWD.Provider.Name -eq 'FileSystem') {
    $before += "$($Global:__AhMark)P;$(__AhEncode $PWD.ProviderPath)$($Global:__AhEnd)"
  }
  $before += "$($Global:__AhMark)A$($Global:__AhEnd)"
  # The user's prompt is to see `$?` as it was.
  if (-not $succeeded) { Write-Error 'failed' -ErrorAction Ignore }
  $own = -join (& $Global:__AhPrompt)
  $Global:LASTEXITCODE = $exitCode
  "$before$own$($Global:__AhMark)B$($Global:__AhEnd)"
}

# PSReadLine's function, which hands over each line (or several at once) before it is run.
if (Test-Path function:PSConsoleHostReadLine) {
  $Global:__AhReadLine = $function:PSConsoleHostReadLine
  function Global:PSConsoleHostReadLine {
    $line = & $Global:__AhReadLine
    if (-not [string]::IsNullOrWhiteSpace($line)) {
      $Global:__AhRan = $true
      [Console]::Write("$($Global:__AhMark)C;$(__AhEncode $line)$($Global:__AhEnd)")
    }
    $line
  }
  [Console]::Write("$($Global:__AhMark)R$($Global:__AhEnd)")
}
