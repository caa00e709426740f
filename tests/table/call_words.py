"""The text of an error, as far as Duet words it as CPython does."""
import re


def words(error, own):
    """Nothing where the text matches `own`: how calls that do not fit are
    told there is Duet's own way."""
    text = str(error)
    return "" if re.search(own, text) else text
