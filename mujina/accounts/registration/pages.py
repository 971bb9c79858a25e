"""The page where visitors create an account."""

from mujina.accounts.registration import operations
from mujina.accounts.registration.params import SignUp
from mujina.accounts.users import validation
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view

PAGE = "/users/sign_up"


@view(PAGE, anonymous=True)
async def show_sign_up(request: PageRequest) -> HtmlPage | Redirect:
    if request.session is not None:
        return Redirect("/")
    async with request.reading() as tx:
        await operations.check_open(tx)
    return HtmlPage("sign_up.html", {"entered": request.read_form(SignUp, "user")})


@form(PAGE, anonymous=True)
async def sign_up(request: PageRequest) -> Redirect:
    change = request.read_form(SignUp, "user")
    async with request.transaction() as tx:
        await operations.check_open(tx)
        await operations.count_attempt(tx, request.address)
    # A password that is too long is refused below, and not hashed before.
    password_hash = await request.services.passwords.hash(change.password[: validation.MAX_PASSWORD_LENGTH])
    async with request.transaction() as tx:
        outcome = await operations.register(tx, change, password_hash)
    return Redirect(f"/users/sign_in?notice={outcome}")
