"""The command `tallybones`.

Each module here is one subcommand, named after its file; it holds a click command called `command`, and is
imported only when it is asked for.
"""

import importlib
import pkgutil

import click

from service.settings import Settings, SettingsError


class OneModuleACommand(click.Group):
    """A group whose subcommands are the modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the modules, in alphabetical order."""
        names = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of that name and return its command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group(
    cls=OneModuleACommand,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="tallybones")
def main() -> None:
    """Verifiable dice for a Foundry VTT table."""


def stop(sentence: str) -> click.exceptions.Exit:
    """Print one sentence that says what to do; raise what this returns to exit with code 1."""
    click.echo(sentence, err=True)
    return click.exceptions.Exit(1)


def settings_or_stop() -> Settings:
    """Read the environment, or print what is wrong with it and exit with code 1."""
    try:
        return Settings.from_env()
    except SettingsError as error:
        raise stop(error.sentence) from error
