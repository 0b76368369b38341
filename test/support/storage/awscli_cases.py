"""Commands of awscli against the S3-compatible interface that the environment names, in one process. Prints `done`."""

import contextlib
import filecmp
import io
import re

from awscli.clidriver import create_clidriver

BUCKET = "s3://vol-datasets"


def aws(*arguments):
    """Runs one command; returns its exit code and what it printed."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = create_clidriver().main(["s3", *arguments])
    return code, output.getvalue()


def done(*arguments):
    code, output = aws(*arguments)
    assert code == 0, output
    return output


def shows(pattern, *arguments):
    output = done(*arguments)
    assert re.fullmatch(pattern, output), output


done("sync", "--no-progress", "files", f"{BUCKET}/set")
listed = r".* 3 set/a/b/ünï #\?&\+%\.txt\n.* 0 set/a/empty\n.* 13000000 set/large\n"
shows(listed, "ls", "--recursive", BUCKET)
done("sync", "--no-progress", f"{BUCKET}/set", "back")
for name in ("a/b/ünï #?&+%.txt", "a/empty", "large"):
    assert filecmp.cmp(f"files/{name}", f"back/{name}", shallow=False), name
shows("", "sync", "--no-progress", "files", f"{BUCKET}/set")
done("mv", "--no-progress", f"{BUCKET}/set/a/b/ünï #?&+%.txt", f"{BUCKET}/moved")
shows(r" +PRE set/\n.* 3 moved\n", "ls", BUCKET)
# The service copies no parts, which a large copy needs.
code, output = aws("cp", f"{BUCKET}/set/large", f"{BUCKET}/copy")
assert code == 1 and "UploadPartCopy" in output, output
done("rm", "--recursive", f"{BUCKET}/set")
done("rm", f"{BUCKET}/moved")
assert not re.search(r" [1-9]\d* ", done("ls", "--recursive", BUCKET))
print("done")
