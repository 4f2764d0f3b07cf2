"""Text in, text out: language models and encoders with their tokenizers."""

from .chat_template import ChatTemplate
from .chat_templates import chat_templates, find_chat_template
from .loading import load
from .model import TextModel
from .tokens import SpecialTokens, TextTokenizer

__all__ = [
    "ChatTemplate",
    "SpecialTokens",
    "TextModel",
    "TextTokenizer",
    "chat_templates",
    "find_chat_template",
    "load",
]
