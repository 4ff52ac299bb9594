"""What a scripted model answers."""

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart


def says(text):
    return ModelResponse(parts=[TextPart(text)])


def calls(tool, **arguments):
    return ModelResponse(parts=[ToolCallPart(tool, arguments)])
