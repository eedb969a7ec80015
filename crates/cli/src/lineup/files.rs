//! The files that `omnilink lineup` writes at its end.

use omnilink_lineup::{SerialObservation, write_observations, write_xml};
use omnilink_verify::NewFile;

use super::arguments::LineupArgs;
use crate::error::CliError;
use crate::reports::EvidenceFile;

/// Files to be written at the end.
pub(super) struct Files<'a> {
    pub(super) evidence: Option<EvidenceFile<'a>>,
    observations: Option<NewFile<'a>>,
    xml: Option<NewFile<'a>>,
}

impl<'a> Files<'a> {
    pub(super) fn check(args: &'a LineupArgs) -> Result<Self, CliError> {
        Ok(Self {
            evidence: args.evidence.as_deref().map(EvidenceFile::create).transpose()?,
            observations: args.observations.as_deref().map(NewFile::check).transpose()?,
            xml: args.xml.as_deref().map(NewFile::check).transpose()?,
        })
    }

    pub(super) fn write(self, observations: &[SerialObservation]) -> Result<(), CliError> {
        if let Some(file) = self.evidence {
            file.finish()?;
        }
        // Writing into memory does not fail.
        let mut bytes = Vec::new();
        if let Some(file) = self.observations {
            write_observations(&mut bytes, observations).map_err(CliError::Output)?;
            file.write(&bytes)?;
        }
        if let Some(file) = self.xml {
            bytes.clear();
            write_xml(&mut bytes, observations).map_err(CliError::Output)?;
            file.write(&bytes)?;
        }
        Ok(())
    }
}
