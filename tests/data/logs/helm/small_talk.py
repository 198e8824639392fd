"""Make HELM ask our own items of a mock model: two metrics, two trials of each item, and a request that fails."""

from typing import ClassVar

from helm.benchmark.adaptation.common_adapter_specs import get_generation_adapter_spec
from helm.benchmark.metrics.common_metric_specs import get_basic_metric_specs
from helm.benchmark.model_deployment_registry import ClientSpec, ModelDeployment, register_model_deployment
from helm.benchmark.model_metadata_registry import ModelMetadata, register_model_metadata
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    TRAIN_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.client import Client
from helm.common.request import ErrorFlags, GeneratedOutput, RequestResult

ITEMS = {"What colour is green tea?": "green", "What is 1 + 1?": "2", "Name a star.": "Sun"}
EXAMPLES = {"What is 2 + 2?": "4", "Name a planet.": "Mars"}
ANSWERS = {"What colour is green tea?": "Green", "What is 1 + 1?": "2", "Name a star.": "Sun"}


class SmallTalk(Scenario):
    name = "small_talk"
    description = "Three questions."
    tags: ClassVar = []

    def get_instances(self, output_path):
        return [
            Instance(Input(text=question), [Reference(Output(text=answer), tags=[CORRECT_TAG])], split=split)
            for split, items in ((TRAIN_SPLIT, EXAMPLES), (TEST_SPLIT, ITEMS))
            for question, answer in items.items()
        ]


class Mock(Client):
    """Answer as the mock model would, and fail when one item is asked again."""

    asked: ClassVar = set()

    def make_request(self, request):
        question = next(question for question in ITEMS if question in request.prompt)
        if question == "Name a star." and question in self.asked:
            flags = ErrorFlags(is_retriable=False, is_fatal=False)
            return RequestResult(False, [], [], False, error="the mock client fails here", error_flags=flags)
        self.asked.add(question)
        made = [GeneratedOutput(text=ANSWERS[question], logprob=0, tokens=[])]
        return RequestResult(True, [], made, False, request_time=0.5, request_datetime=0)


@run_spec_function("small_talk")
def small_talk():
    """Return the run: exact match and its looser forms, in two trials."""
    return RunSpec(
        name="small_talk",
        scenario_spec=ScenarioSpec(class_name="small_talk.SmallTalk"),
        adapter_spec=get_generation_adapter_spec(max_train_instances=1, max_tokens=5),
        metric_specs=get_basic_metric_specs(["exact_match", "quasi_exact_match"]),
        groups=["small_talk"],
    )


register_model_metadata(
    ModelMetadata(
        name="mock/alpha",
        creator_organization_name="Mock",
        display_name="Alpha",
        description="A mock model.",
        access="open",
        release_date=None,
        tags=["TEXT_MODEL_TAG", "FULL_FUNCTIONALITY_TEXT_MODEL_TAG"],
    )
)
register_model_deployment(
    ModelDeployment(
        name="mock/alpha",
        tokenizer_name="simple/tokenizer1",
        max_sequence_length=2048,
        client_spec=ClientSpec(class_name="small_talk.Mock"),
    )
)
