"""How `tools/release` tests examples/container: buildah builds the image, and its server starts."""

import json
import shlex
import shutil
from pathlib import Path

from clean_root import CleanRoot, CommandError, compiler_cache, output_of
from release_builds import SOURCE, WORK, Interpreter, scratch_folder
from release_checks import PROGRAMS, last_lines

CONTAINERFILE = SOURCE / "examples" / "container" / "Containerfile"
IMAGES = WORK / "images"
BUILDAH = f"buildah --root {IMAGES} --runroot {IMAGES}/run --storage-driver vfs"
# The images of Debian that the Containerfile names, made of a clean root: no registry is asked. pip
# takes the wheels that the build requires from a folder.
BASE = """
container=$({buildah} from scratch)
{buildah} copy --quiet $container {root} /
{buildah} config --env PIP_NO_INDEX=1 --env PIP_FIND_LINKS=/wheels $container
{buildah} config --env CCACHE_DIR=/ccache --env CXX=g++ $container
{buildah} commit --quiet $container docker.io/library/debian:12
{buildah} tag docker.io/library/debian:12 docker.io/library/debian:12-slim
{buildah} rm $container
"""
BUILD = """
{buildah} rm --all
{buildah} build --quiet --isolation chroot --format docker --pull-never --layers=false \\
  {volumes} --ignorefile {source}/.dockerignore --file {file} \\
  --tag mithril-serve {source}
"""
# In a network of its own, as a container is. The health check succeeds when the models are loaded.
RUN = """
ip link set lo up
container=$({buildah} from --pull-never mithril-serve)
inside="{buildah} run --isolation chroot --volume {programs}:/programs --volume {models}:/models"
$inside $container -- /opt/mithril/bin/python /programs/readme.py /models
$inside $container -- {entrypoint} /models/xor.zip &
for attempt in $(seq 100); do
  if $inside $container -- {health} 2>{models}/health; then
    echo 'the health check succeeds'
    exit 0
  fi
  sleep 0.2
done
cat {models}/health
exit 1
"""


def base_images() -> None:
    """Makes the images that the Containerfile begins with, once."""
    if (IMAGES / "made").exists():
        return
    shutil.rmtree(IMAGES, ignore_errors=True)
    IMAGES.mkdir(parents=True)
    run(BASE.format(buildah=BUILDAH, root=CleanRoot("container").folder))
    (IMAGES / "made").touch()


def run(script: str, *before: str) -> str:
    return output_of([*before, "sh", "-euc", script])


def check_container(interpreter: Interpreter) -> tuple[Path, str]:
    """Builds the image, and starts its server. Returns the recipe, and how it was tested."""
    if not shutil.which("buildah"):
        raise CommandError("there is no buildah: apt-get install --no-install-recommends buildah")
    base_images()
    folders = {interpreter.build_wheels(): "/wheels", **compiler_cache()}
    volumes = " ".join(f"--volume {path}:{inside}" for path, inside in folders.items())
    run(BUILD.format(buildah=BUILDAH, volumes=volumes, source=SOURCE, file=CONTAINERFILE))
    described = json.loads(run(f"{BUILDAH} inspect --type image mithril-serve"))["Docker"]["config"]
    with scratch_folder() as scratch:
        models = scratch / "models"
        models.mkdir()
        models.chmod(0o777)  # the container has a user of its own
        script = RUN.format(
            buildah=BUILDAH,
            programs=PROGRAMS,
            models=models,
            entrypoint=shlex.join(described["Entrypoint"]),
            health=shlex.join(described["Healthcheck"]["Test"][1:]),
        )
        printed = run(script, "unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
    return CONTAINERFILE, f"buildah builds the image; {last_lines(printed)}"
